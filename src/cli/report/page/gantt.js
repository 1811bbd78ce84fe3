"use strict";

const kRow = 22, kGap = 4, kAxis = 24, kMemoryRow = 64;
const kPalette = ["#4477aa", "#5566cc", "#44aa99", "#bbaa33", "#aa6699", "#66a8d8", "#7a9a4a", "#8c6d46"];

// Of the number of a layer, type or micro-batch; -1: of none.
function fillOf(number) { return number < 0 ? "#8a95a3" : kPalette[number % kPalette.length]; }

function labelWidth(width) { return width < 600 ? 92 : 150; }

function colourOf(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

// A canvas of that height, as sharp as the screen, cleared; coordinates are CSS pixels.
function prepared(canvas, height) {
  const width = canvas.clientWidth, ratio = window.devicePixelRatio || 1;
  canvas.style.height = height + "px";
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  pen.textBaseline = "middle";
  return {pen, width, left: labelWidth(width)};
}

function clipped(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let length = Math.floor(text.length * width / pen.measureText(text).width);
  while (length > 0 && pen.measureText(text.slice(0, length) + "…").width > width) --length;
  return length > 0 ? text.slice(0, length) + "…" : "";
}

function drawAxis(pen, view, left, width, height) {
  const {list, step} = ticks(view.from, view.to, (width - left) / 90);
  pen.strokeStyle = colourOf("--line");
  pen.fillStyle = colourOf("--soft");
  pen.textAlign = "center";
  for (const time of list) {
    const x = left + (time - view.from) / (view.to - view.from) * (width - left);
    pen.beginPath();
    pen.moveTo(Math.round(x) + 0.5, kAxis - 6);
    pen.lineTo(Math.round(x) + 0.5, height);
    pen.stroke();
    const text = tickText(time, step, view.to);
    const half = pen.measureText(text).width / 2;
    if (x - half >= left && x + half <= width) pen.fillText(text, x, 9);
  }
  pen.textAlign = "left";
}

function drawGantt(page) {
  const rows = page.rows, height = kAxis + rows.length * (kRow + kGap);
  const {pen, width, left} = prepared(page.gantt, height);
  drawAxis(pen, page.view, left, width, height);
  const ink = colourOf("--ink"), idle = colourOf("--idle"), critical = colourOf("--critical");
  const transfer = colourOf("--transfer"), card = colourOf("--card");
  rows.forEach((row, i) => {
    const top = kAxis + i * (kRow + kGap), isDevice = row.kind === "device";
    pen.fillStyle = ink;
    pen.fillText(clipped(pen, row.name.replace(" -> ", "→").replace(/^channel /, ""), left - 8), 0, top + kRow / 2);
    pen.globalAlpha = 0.6;
    pen.fillStyle = idle;
    pen.fillRect(left, top, width - left, kRow);
    pen.globalAlpha = 1;
    const marks = isDevice ? page.data.ops.critical : page.data.transfers.critical;
    const bars = barsOf(row, page.view, width - left, (item) => marks[item]);
    for (const [from, to, item, marked] of bars) {
      const x = left + Math.max(from, 0), wide = Math.max(Math.min(to, width - left) - Math.max(from, 0), 1);
      pen.fillStyle = isDevice ? fillOf(page.data.ops[page.colour][item]) : transfer;
      pen.fillRect(x, top, wide > 3 ? wide - 1 : wide, kRow);
      if (marked) {
        pen.fillStyle = card;
        pen.fillRect(x, top + kRow - 5, wide, 5);
        pen.fillStyle = critical;
        pen.fillRect(x, top + kRow - 4, wide, 4);
      }
      if (wide > 34) {
        pen.fillStyle = "#fff";
        const name = isDevice ? page.data.ops.name[item] : page.data.transfers.name[item];
        pen.fillText(clipped(pen, name, wide - 8), x + 4, top + kRow / 2 - 1);
      }
    }
    page.bars += bars.length;
  });
}

// What the device holds at each pixel, the most of those in it.
function memoryPoints(samples, view, width) {
  const scale = width / (view.to - view.from), points = [];
  let at = Math.max(firstAtLeast(samples.time, view.from) - 1, 0);
  for (let x = 0; x <= width; ++x) {
    const until = view.from + (x + 1) / scale;
    let most = samples.bytes[at];
    while (at + 1 < samples.time.length && samples.time[at + 1] < until) {
      ++at;
      most = Math.max(most, samples.bytes[at]);
    }
    points.push(most);
  }
  return points;
}

function shareHeld(page, device) {
  const {peak_bytes: peak, capacity_bytes: capacity} = page.data.report.per_device[device];
  return peak / Math.max(capacity, 1);
}

// The share of the capacity at the top of every row: the same one, so that devices compare.
function topShare(page) {
  const most = Math.max(...page.memoryRows.map((device) => shareHeld(page, device)), 1e-9);
  return (page.memoryScale === "held" ? most : Math.max(most, 1)) * 1.08;
}

function drawCapacity(pen, left, width, y) {
  pen.strokeStyle = colourOf("--limit");
  pen.setLineDash([5, 4]);
  pen.beginPath();
  pen.moveTo(left, y);
  pen.lineTo(width, y);
  pen.stroke();
  pen.setLineDash([]);
}

function drawMemoryLabel(page, pen, device, width, top) {
  const {name, peak_bytes: peak, capacity_bytes: capacity} = page.data.report.per_device[device];
  pen.fillStyle = colourOf("--ink");
  pen.fillText(clipped(pen, name, width), 0, top + 9);
  pen.fillStyle = peak > capacity ? colourOf("--limit") : colourOf("--soft");
  [shareText(peak, capacity), bytesText(peak), "of " + bytesText(capacity)]
    .forEach((text, line) => pen.fillText(clipped(pen, text, width), 0, top + 25 + 16 * line));
}

function drawMemory(page) {
  const rows = page.memoryRows, height = kAxis + rows.length * (kMemoryRow + kGap * 3);
  const {pen, width, left} = prepared(page.memory, height), most = topShare(page);
  drawAxis(pen, page.view, left, width, height);
  rows.forEach((device, i) => {
    const capacity = Math.max(page.data.report.per_device[device].capacity_bytes, 1);
    const bottom = kAxis + i * (kMemoryRow + kGap * 3) + kMemoryRow;
    const y = (share) => bottom - share / most * kMemoryRow;
    const points = memoryPoints(page.data.memory[device], page.view, width - left);
    pen.beginPath();
    pen.moveTo(left, bottom);
    points.forEach((bytes, x) => pen.lineTo(left + x, y(bytes / capacity)));
    pen.lineTo(width, bottom);
    pen.fillStyle = colourOf("--memory");
    pen.globalAlpha = 0.75;
    pen.fill();
    pen.globalAlpha = 1;
    pen.strokeStyle = colourOf("--line");
    pen.strokeRect(left + 0.5, bottom - kMemoryRow + 0.5, width - left - 1, kMemoryRow);
    if (most >= 1) drawCapacity(pen, left, width, y(1));
    drawMemoryLabel(page, pen, device, left - 8, bottom - kMemoryRow);
  });
}
