"use strict";

const kMostMemoryRows = 32, kLongestOps = 25;

// Shows `share` of what is seen now, about the time at `at` (0 left, 1 right), moved by `by`.
function look(page, share, at = 0.5, by = 0) {
  const end = page.end, least = end * 1e-7;
  const span = Math.min(Math.max((page.view.to - page.view.from) * share, least), end);
  let from = page.view.from + (page.view.to - page.view.from) * (at + by) - span * at;
  from = Math.min(Math.max(from, 0), end - span);
  page.view = {from, to: from + span};
  draw(page);
}

function draw(page) {
  if (page.waits) return;
  page.waits = true;
  requestAnimationFrame(() => {
    page.waits = false;
    drawNow(page);
  });
}

function drawNow(page) {
  page.bars = 0;
  drawGantt(page);
  drawMemory(page);
}

function press(page, key) {
  if (key === "+" || key === "=") look(page, 0.6);
  else if (key === "-" || key === "_") look(page, 1 / 0.6);
  else if (key === "ArrowLeft") look(page, 1, 0.5, -0.2);
  else if (key === "ArrowRight") look(page, 1, 0.5, 0.2);
  else if (key === "0" || key === "Home") look(page, Infinity);
  else return false;
  return true;
}

function tipText(page, row, at) {
  const item = row.items[at], {ops, transfers, devices} = page.data;
  const batchOf = (columns) => columns.batch && columns.batch[item] >= 0 ? `micro-batch ${columns.batch[item]}` : "";
  const when = `${timeText(row.ends[at] - row.begins[at])} from ${timeText(row.begins[at])}`;
  if (row.kind === "device") {
    const unit = page.data.units[ops.unit[item]];
    return [ops.name[item], (page.data.types[ops.type[item]] || "op") + (unit ? ` of ${unit}` : ""),
      batchOf(ops), `${when} on ${row.track}`, ops.critical[item] ? "on the critical path" : ""].filter(Boolean).join("\n");
  }
  const waited = transfers.begin[item] - transfers.requested[item];
  return [transfers.name[item], `${bytesText(transfers.bytes[item])}, ${devices[transfers.from[item]]} → ` +
    devices[transfers.to[item]], batchOf(transfers), when, waited > 0 ? `after ${timeText(waited)} for its channel` : "",
    transfers.critical[item] ? "on the critical path" : ""].filter(Boolean).join("\n");
}

function showTip(page, event) {
  const tip = document.getElementById("tip"), box = page.gantt.getBoundingClientRect();
  const left = labelWidth(box.width), x = event.clientX - box.left - left;
  const number = Math.floor((event.clientY - box.top - kAxis) / (kRow + kGap)), row = page.rows[number];
  const perPixel = (page.view.to - page.view.from) / (box.width - left);
  const at = row && x >= 0 ? hit(row, page.view.from + x * perPixel, perPixel) : -1;
  tip.hidden = at < 0;
  if (at < 0) return;
  tip.textContent = tipText(page, row, at);
  tip.style.left = Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = Math.min(event.clientY + 16, window.innerHeight - tip.offsetHeight - 8) + "px";
}

// Drag and pinch, which a trackpad sends as a wheel with ctrl, and keys and the wheel for the canvas
// that has the focus: over another one the wheel scrolls the page. Both canvases move together.
function listen(page, canvas) {
  const share = (event) => {
    const box = canvas.getBoundingClientRect(), left = labelWidth(box.width);
    return (event.clientX - box.left - left) / (box.width - left);
  };
  const held = new Map();
  canvas.addEventListener("wheel", (event) => {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!event.ctrlKey && !sideways && document.activeElement !== canvas) return;
    event.preventDefault();
    if (sideways) look(page, 1, 0.5, event.deltaX / 1000);
    else look(page, Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 100) / 400), share(event));
  }, {passive: false});
  canvas.addEventListener("pointerdown", (event) => {
    held.set(event.pointerId, share(event));
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (canvas === page.gantt) showTip(page, event);
    if (!held.has(event.pointerId)) return;
    const before = [...held.values()];
    held.set(event.pointerId, share(event));
    const now = [...held.values()];
    if (now.length === 1) {
      look(page, 1, 0.5, before[0] - now[0]);
    } else {
      const apart = Math.abs(now[0] - now[1]);
      if (apart > 0.01) look(page, Math.abs(before[0] - before[1]) / apart, (now[0] + now[1]) / 2);
    }
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, (event) => held.delete(event.pointerId));
  }
  canvas.addEventListener("pointerleave", () => { document.getElementById("tip").hidden = true; });
  canvas.addEventListener("dblclick", () => press(page, "0"));
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") canvas.blur();
    else if (press(page, event.key)) event.preventDefault();
  });
}

function listenToAll(page) {
  listen(page, page.gantt);
  listen(page, page.memory);
  for (const button of document.querySelectorAll("button[data-key]")) {
    button.addEventListener("click", () => press(page, button.dataset.key));
  }
  for (const [id, choose] of [["colour", (value) => { page.colour = value; }],
    ["memory-scale", (value) => { page.memoryScale = value; }]]) {
    document.getElementById(id).addEventListener("change", (event) => {
      choose(event.target.value);
      draw(page);
    });
  }
  window.addEventListener("resize", () => draw(page));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw(page));
}

function fillTables(data) {
  const counts = data.devices.map(() => 0);
  for (const device of data.ops.device) ++counts[device];
  const end = data.explanation.latency_seconds;
  fillTable("devices", ["device", "busy", "data on its way", "producer not ready", "channel busy",
    "nothing left", "peak memory", "capacity", "ops"], data.report.per_device.map((device, i) => {
      const time = data.explanation.device_times[i];
      return {over: device.peak_bytes > device.capacity_bytes, cells: [device.name,
        shareText(time.busy_seconds, end), shareText(time.transfer_seconds, end),
        shareText(time.producer_seconds, end), shareText(time.channel_seconds, end),
        shareText(time.done_seconds, end), bytesText(device.peak_bytes),
        bytesText(device.capacity_bytes), String(counts[i])]};
    }), [0]);
  const {ops} = data, length = (i) => ops.end[i] - ops.begin[i];
  const longest = ops.begin.map((_, i) => i).sort((a, b) => length(b) - length(a) || a - b);
  fillTable("ops", ["op", "type", "layer", "device", "takes", "begins", "critical"],
    longest.slice(0, kLongestOps).map((i) => ({cells: [ops.name[i], data.types[ops.type[i]],
      data.units[ops.unit[i]], data.devices[ops.device[i]], timeText(length(i)), timeText(ops.begin[i]),
      ops.critical[i] ? "yes" : ""]})), [0, 1, 2, 3]);
  const cuts = data.explanation.dearest_cuts;
  document.getElementById("cuts-section").hidden = cuts.length === 0;
  fillTable("cuts", ["tensor", "from", "to", "bytes", "takes", "waited"], cuts.map((cut) => ({
    cells: [cut.tensor, cut.from, cut.to, bytesText(cut.bytes), timeText(cut.seconds),
      timeText(cut.waited_seconds)]})), [0, 1, 2]);
}

function fillTexts(data) {
  document.getElementById("title").textContent = data.title;
  document.getElementById("answer").textContent = data.answer.join(" ");
  for (const sentence of data.explanation.conclusions) {
    document.getElementById("why").append(Object.assign(document.createElement("li"), {textContent: sentence}));
  }
  document.getElementById("request").textContent = JSON.stringify(data.request, null, 2);
  document.getElementById("asked").textContent = data.asked;
  document.getElementById("curve-section").hidden = !document.querySelector("#curve svg");
}

function main() {
  const data = JSON.parse(document.getElementById("data").textContent);
  fillTexts(data);
  fillTables(data);
  const all = allRows(data), end = data.explanation.latency_seconds || 1e-12;
  const rows = all.length > kMostRows ? all.filter((row) => row.begins.length > 0) : all;
  const page = {data, rows: rows.slice(0, kMostRows), end, view: {from: 0, to: end},
    colour: data.ops.batch ? "batch" : data.units.length > 1 || data.types.length === 1 ? "unit" : "type",
    gantt: document.getElementById("gantt"), memory: document.getElementById("memory"), memoryScale: "capacity", bars: 0};
  if (all.length > kMostRows) {
    document.getElementById("hidden-tracks").textContent = (rows.length > kMostRows ?
      `The first ${kMostRows} of ${rows.length} rows are shown` : `${rows.length} rows are shown`) +
      ` in which something runs, of ${all.length} in all.`;
  }
  document.querySelector("#colour option[value=batch]").hidden = !data.ops.batch;
  document.getElementById("colour").value = page.colour;
  const share = (device) => shareHeld(page, device);
  page.memoryRows = data.devices.map((_, i) => i).filter((i) => data.report.per_device[i].peak_bytes > 0)
    .sort((a, b) => share(b) - share(a) || a - b).slice(0, kMostMemoryRows).sort((a, b) => a - b);
  listenToAll(page);
  drawNow(page);
  startGraph(data);
  document.documentElement.dataset.bars = page.bars;
  document.documentElement.dataset.milliseconds = Math.round(performance.now());
}
