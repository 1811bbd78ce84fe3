"use strict";

function inUnit(value, units) {
  const [size, name] = units.find(([least]) => value >= least * 0.99995) || units[units.length - 1];
  const shown = value / size;
  return shown.toFixed(shown >= 999.95 ? 0 : shown >= 99.995 ? 1 : shown >= 9.9995 ? 2 : 3) + " " + name;
}

function timeText(seconds) {
  if (seconds === 0) return "0 s";
  return inUnit(seconds, [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]]);
}

function bytesText(bytes) {
  if (bytes < 1024) return bytes.toFixed(0) + " B";
  return inUnit(bytes, [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]);
}

function shareText(part, whole) {
  return whole > 0 ? (100 * part / whole).toFixed(1) + " %" : "";
}

// Ticks of an axis from `from` to `to`: about `count`, at 1, 2 or 5 times a power of ten.
function ticks(from, to, count) {
  const rough = (to - from) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((times) => times * power >= rough);
  const list = [];
  for (let i = Math.ceil(from / step); i * step <= to; ++i) list.push(i * step);
  return {list, step};
}

function tickText(seconds, step, to) {
  const [size, name] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]]
    .find(([least]) => to >= least) || [1e-12, "ps"];
  const decimals = Math.min(6, Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9)));
  return (seconds / size).toFixed(decimals) + " " + name;
}

// Cells as [text, class]; the first of `words` columns hold words.
function fillTable(id, header, rows, words) {
  const table = document.getElementById(id);
  const row = (parent, cells, tag, over) => {
    const line = parent.insertRow();
    if (over) line.className = "over";
    cells.forEach((text, i) => {
      const cell = document.createElement(tag);
      cell.textContent = text;
      if (words.includes(i)) cell.className = "word long";
      if (words.includes(i) && tag === "td") cell.title = text;
      line.append(cell);
    });
  };
  row(table.createTHead(), header, "th");
  const body = table.createTBody();
  for (const {cells, over} of rows) row(body, cells, "td", over);
}
