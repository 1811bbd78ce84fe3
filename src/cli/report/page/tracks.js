"use strict";

const kMostRows = 160;

// The first position of a sorted array whose value is at least (or above) `value`.
function firstAtLeast(sorted, value, from = 0) {
  let low = from, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}

// Spans [begin, end, item] into as few rows as needed in which none overlap; a row has its begins,
// ends and items by time.
function rowsOf(spans) {
  spans.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const rows = [];
  for (const [begin, end, item] of spans) {
    let row = rows.find((other) => other.ends[other.ends.length - 1] <= begin);
    if (!row) {
      if (rows.length === kMostRows) continue;
      rows.push(row = {begins: [], ends: [], items: []});
    }
    row.begins.push(begin);
    row.ends.push(end);
    row.items.push(item);
  }
  return rows;
}

function labelled(rows, name, kind) {
  if (rows.length === 0) rows.push({begins: [], ends: [], items: []});
  rows.forEach((row, i) => Object.assign(row, {kind, name: i === 0 ? name : "", track: name}));
  return rows;
}

// All rows: devices, then the channels that carry something, by name.
function allRows(data) {
  const ofDevice = data.devices.map(() => []);
  data.ops.begin.forEach((begin, i) => ofDevice[data.ops.device[i]].push([begin, data.ops.end[i], i]));
  const ofChannel = data.channels.map(() => []);
  data.transfers.begin.forEach((begin, i) => {
    for (const channel of data.transfers.channels[i]) {
      ofChannel[channel].push([begin, data.transfers.end[i], i]);
    }
  });
  const rows = [];
  ofDevice.forEach((spans, i) => rows.push(...labelled(rowsOf(spans), data.devices[i], "device")));
  const byName = new Intl.Collator("en", {numeric: true}).compare;
  const channels = data.channels.map((name, i) => [name, i]).sort(([a], [b]) => byName(a, b));
  for (const [name, i] of channels) rows.push(...labelled(rowsOf(ofChannel[i]), name, "channel"));
  return rows;
}

// What is drawn of a row between `from` and `to`: bars [left, right, item, critical] in pixels; those
// of less than a pixel become one.
function barsOf(row, view, width, isCritical) {
  const scale = width / (view.to - view.from);
  const bars = [];
  let i = firstAtLeast(row.ends, view.from);
  while (i < row.begins.length && row.begins[i] <= view.to) {
    const left = (row.begins[i] - view.from) * scale, right = (row.ends[i] - view.from) * scale;
    if (right - left >= 1) {
      bars.push([left, right, row.items[i], isCritical(row.items[i])]);
      ++i;
      continue;
    }
    const edge = Math.floor(left) + 1;
    const next = Math.max(i + 1, firstAtLeast(row.ends, view.from + edge / scale, i));
    let critical = false;
    for (let j = i; j < next && !critical && j < i + 64; ++j) critical = isCritical(row.items[j]);
    bars.push([edge - 1, edge, row.items[i], critical]);
    i = next;
  }
  return bars;
}

// The position in a row at a time, give or take `reach`; -1 where nothing is.
function hit(row, time, reach) {
  const at = firstAtLeast(row.ends, time - reach);
  return at < row.begins.length && row.begins[at] <= time + reach ? at : -1;
}
