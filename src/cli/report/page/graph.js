"use strict";

const kBox = {width: 138, height: 36, gapX: 30, gapY: 10}, kLaneLabel = 96;
const kMostChildren = 24, kMostBoxes = 300, kMostEdges = 500;

function svgTag(name, attributes, text) {
  const tag = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) tag.setAttribute(key, value);
  if (text !== undefined) tag.textContent = text;
  return tag;
}

// A group of ops of one device; its parts are groups by name, and ops of its own.
function newGroup(name, parent) { return {name, parent, groups: new Map(), own: [], parts: null, open: false}; }

function summedUp(group, data) {
  Object.assign(group, {count: 0, busy: 0, begin: Infinity, critical: false});
  const add = (count, busy, begin, critical) => {
    group.count += count;
    group.busy += busy;
    group.begin = Math.min(group.begin, begin);
    group.critical = group.critical || critical;
  };
  for (const part of group.groups.values()) {
    summedUp(part, data);
    add(part.count, part.busy, part.begin, part.critical);
  }
  const {begin, end, critical} = data.ops;
  for (const i of group.own) add(1, end[i] - begin[i], begin[i], critical[i] === 1);
  return group;
}

// By device, the ops in groups by the names of their layers, one inside the other.
function deviceGroups(data) {
  const roots = data.devices.map((name) => newGroup(name, null));
  const paths = data.units.map((unit) => unit.split(/[./]/).filter(Boolean));
  data.ops.device.forEach((device, i) => {
    let group = roots[device];
    for (const name of paths[data.ops.unit[i]]) {
      if (!group.groups.has(name)) group.groups.set(name, newGroup(name, group));
      group = group.groups.get(name);
    }
    group.own.push(i);
  });
  return roots.map((root) => summedUp(root, data)).filter((root) => root.count > 0);
}

// Parts in a row become at most kMostChildren parts of several.
function bundled(parts, parent, data) {
  parts.sort((a, b) => a.begin - b.begin);
  if (parts.length <= kMostChildren) return parts;
  const size = Math.ceil(parts.length / kMostChildren), bundles = [];
  for (let at = 0; at < parts.length; at += size) {
    const inside = parts.slice(at, at + size), bundle = newGroup("", parent);
    bundle.name = inside.length === 1 ? inside[0].name : `${inside[0].name} … ${inside[inside.length - 1].name}`;
    for (const part of inside) {
      if (part.op === undefined) bundle.groups.set(bundle.groups.size, part); else bundle.own.push(part.op);
      part.parent = bundle;
    }
    bundles.push(inside.length === 1 ? Object.assign(inside[0], {parent}) : summedUp(bundle, data));
  }
  return bundles;
}

// What a group opens into. One that only holds another group opens into what that holds.
function partsOf(group, data) {
  if (group.parts) return group.parts;
  const {name, begin, end, critical} = data.ops;
  const ops = group.own.map((i) => ({op: i, name: name[i], parent: group, own: [i], groups: new Map(), parts: [],
    count: 1, busy: end[i] - begin[i], begin: begin[i], critical: critical[i] === 1}));
  let parts = [...group.groups.values(), ...ops];
  if (parts.length === 1 && parts[0].op === undefined) {
    parts = partsOf(parts[0], data);
    for (const part of parts) part.parent = group;
  }
  group.parts = bundled(parts, group, data);
  return group.parts;
}

function visibleBoxes(roots, data) {
  const boxes = [];
  const visit = (group, lane) => {
    if (!group.open) {
      boxes.push({group, lane});
      return;
    }
    for (const part of partsOf(group, data)) visit(part, lane);
  };
  roots.forEach(visit);
  return boxes.sort((a, b) => a.group.begin - b.group.begin);
}

function markOps(group, box, boxOf) {
  for (const i of group.own) boxOf[i] = box;
  for (const part of group.groups.values()) markOps(part, box, boxOf);
}

// Between boxes: [from, to, bytes], the most bytes first.
function edgesOf(boxes, data) {
  const boxOf = new Int32Array(data.ops.begin.length), sums = new Map();
  boxes.forEach(({group}, at) => markOps(group, at, boxOf));
  data.tensors.from.forEach((producer, i) => {
    const reached = new Set();
    for (const consumer of data.tensors.to[i]) {
      if (boxOf[consumer] !== boxOf[producer]) reached.add(boxOf[consumer]);
    }
    for (const to of reached) {
      const key = boxOf[producer] * boxes.length + to;
      sums.set(key, (sums.get(key) || 0) + data.tensors.bytes[i]);
    }
  });
  return [...sums].map(([key, bytes]) => [Math.floor(key / boxes.length), key % boxes.length, bytes])
    .sort((a, b) => b[2] - a[2]);
}

// Columns go with time: each box stands right of the box before it in its lane, and of those it reads from.
function placeBoxes(boxes, edges, lanes) {
  const last = new Array(lanes).fill(-1), readers = boxes.map(() => []);
  for (const [from, to] of edges) if (from < to) readers[from].push(to);
  const least = boxes.map(() => 0);
  boxes.forEach((box, i) => {
    box.column = Math.max(last[box.lane] + 1, least[i]);
    last[box.lane] = box.column;
    for (const to of readers[i]) least[to] = Math.max(least[to], box.column + 1);
  });
  for (const box of boxes) {
    box.x = kLaneLabel + box.column * (kBox.width + kBox.gapX);
    box.y = kBox.gapY + box.lane * (kBox.height + 3 * kBox.gapY);
  }
}

function edgePath(a, b) {
  const x = a.x + kBox.width, y = a.y + kBox.height / 2, toX = b.x, toY = b.y + kBox.height / 2;
  if (toX >= x) {
    const half = (toX - x) / 2, dip = a.lane === b.lane && b.column > a.column + 1 ? kBox.height : 0;
    return `M${x} ${y}C${x + half} ${y + dip} ${toX - half} ${toY + dip} ${toX} ${toY}`;
  }
  return `M${x} ${y}C${x + 40} ${y - 40} ${toX - 40} ${toY - 40} ${toX} ${toY}`;
}

function shortened(text, most) {
  return text.length <= most ? text : text.slice(0, most - 9) + "…" + text.slice(-8);
}

function boxTag(view, box, at) {
  const {group} = box, opens = group.op === undefined;
  const text = `${group.count === 1 ? "1 op" : group.count + " ops"}, ${timeText(group.busy)}`;
  const tag = svgTag("g", {class: "box" + (opens ? " opens" : ""), tabindex: 0, role: opens ? "button" : "img",
    transform: `translate(${box.x} ${box.y})`, "data-at": at, "aria-label": `${group.name}: ${text}`});
  tag.append(svgTag("title", {}, `${group.name}\n${text} on ${view.roots[box.lane].name}${opens ? "\nopens" : ""}`),
    svgTag("rect", {width: kBox.width, height: kBox.height, rx: 5}));
  if (group.critical) tag.append(svgTag("path", {d: `M4 ${kBox.height - 2}h${kBox.width - 8}`, class: "critical"}));
  const name = opens ? "+ " + shortened(group.name, 16) : shortened(group.name.split("/").pop(), 18);
  tag.append(svgTag("text", {x: 7, y: 15}, name),
    svgTag("text", {x: 7, y: 29, class: "soft"}, text));
  return tag;
}

function drawEdges(view, edges, picture) {
  const most = edges.length > 0 ? Math.max(edges[0][2], 1) : 1;
  for (const [from, to, bytes] of edges.slice(0, kMostEdges)) {
    const [a, b] = [view.boxes[from], view.boxes[to]], crosses = a.lane !== b.lane;
    const line = svgTag("path", {class: "edge" + (crosses ? " crosses" : ""), d: edgePath(a, b),
      "stroke-width": (1 + 3 * bytes / most).toFixed(1), "data-from": from, "data-to": to});
    line.append(svgTag("title", {}, `${a.group.name} → ${b.group.name}\n${bytesText(bytes)}`));
    picture.append(line);
  }
}

function chips(view) {
  const bar = document.getElementById("open-groups");
  bar.replaceChildren();
  const visit = (group, path) => {
    if (!group.open) return;
    if (group.parent) {
      const chip = Object.assign(document.createElement("button"), {type: "button", textContent: "− " + shortened(path, 40),
        title: "close " + path});
      chip.addEventListener("click", () => toggle(view, group));
      bar.append(chip);
    }
    for (const part of group.parts || []) visit(part, group.parent ? `${path} / ${part.name}` : `${group.name}: ${part.name}`);
  };
  for (const root of view.roots) visit(root, root.name);
}

// They stay at the left while the picture moves.
function laneNames(view, height) {
  const names = svgTag("g", {id: "lane-names"});
  names.append(svgTag("rect", {class: "names", width: kLaneLabel - 10, height}));
  view.roots.forEach((root, lane) => names.append(svgTag("text", {x: 6,
    y: lane * (kBox.height + 3 * kBox.gapY) + kBox.gapY + kBox.height / 2 + 4}, shortened(root.name, 12))));
  names.setAttribute("transform", `translate(${document.getElementById("graph").parentElement.scrollLeft} 0)`);
  return names;
}

function drawGraph(view) {
  view.boxes = visibleBoxes(view.roots, view.data);
  const edges = edgesOf(view.boxes, view.data), picture = document.getElementById("graph");
  placeBoxes(view.boxes, edges, view.roots.length);
  picture.replaceChildren();
  const width = Math.max(...view.boxes.map((box) => box.x)) + kBox.width + 8;
  const height = view.roots.length * (kBox.height + 3 * kBox.gapY);
  for (const [name, value] of [["width", width], ["height", height], ["viewBox", `0 0 ${width} ${height}`]]) {
    picture.setAttribute(name, value);
  }
  view.roots.forEach((root, lane) => {
    const y = lane * (kBox.height + 3 * kBox.gapY);
    picture.append(svgTag("rect", {class: "lane", x: 0, y: y + 2, width, height: kBox.height + 2 * kBox.gapY - 4}));
  });
  drawEdges(view, edges, picture);
  view.boxes.forEach((box, at) => picture.append(boxTag(view, box, at)));
  picture.append(laneNames(view, height));
  chips(view);
  document.getElementById("graph-note").textContent = edges.length > kMostEdges ?
    `The ${kMostEdges} thickest of ${edges.length} edges are drawn.` : "";
}

function toggle(view, group) {
  if (group.op !== undefined) return;
  group.open = !group.open;
  if (group.open && visibleBoxes(view.roots, view.data).length > kMostBoxes) group.open = false;
  drawGraph(view);
  const at = view.boxes.findIndex((box) => box.group === group || box.group.parent === group);
  const box = document.querySelector(`#graph g[data-at="${at}"]`);
  if (box) box.focus({preventScroll: true});
}

// Opens what is there by one level, as far as the picture stays readable; or closes all but the devices.
function openAll(view, open) {
  const all = (group) => {
    for (const part of group.parts || []) all(part);
    if (group.parent) group.open = false;
  };
  if (!open) view.roots.forEach(all);
  if (open) {
    for (const {group} of view.boxes) {
      group.open = group.op === undefined && visibleBoxes(view.roots, view.data).length + kMostChildren <= kMostBoxes;
    }
  }
  drawGraph(view);
}

function startGraph(data) {
  const view = {data, roots: deviceGroups(data), boxes: []};
  const parts = view.roots.reduce((sum, root) => sum + partsOf(root, data).length, 0);
  for (const root of view.roots) root.open = parts <= kMostBoxes;
  const picture = document.getElementById("graph");
  const groupAt = (event) => {
    const tag = event.target.closest("g.box");
    return tag ? view.boxes[tag.dataset.at].group : null;
  };
  picture.addEventListener("click", (event) => { const group = groupAt(event); if (group) toggle(view, group); });
  picture.addEventListener("keydown", (event) => {
    const group = groupAt(event);
    if (!group) return;
    if (event.key === "Enter" || event.key === " ") toggle(view, group);
    else if ((event.key === "Backspace" || event.key === "Escape") && group.parent && group.parent.parent) toggle(view, group.parent);
    else return;
    event.preventDefault();
  });
  const mark = (event) => {
    const tag = event.target.closest("g.box"), at = tag ? tag.dataset.at : "";
    for (const line of picture.querySelectorAll("path.edge")) {
      line.classList.toggle("on", tag !== null && (line.dataset.from === at || line.dataset.to === at));
    }
  };
  const frame = picture.parentElement;
  frame.addEventListener("scroll", () => {
    document.getElementById("lane-names").setAttribute("transform", `translate(${frame.scrollLeft} 0)`);
  });
  picture.addEventListener("focusin", mark);
  picture.addEventListener("pointerover", mark);
  for (const button of document.querySelectorAll("button[data-open]")) {
    button.addEventListener("click", () => openAll(view, button.dataset.open === "yes"));
  }
  drawGraph(view);
}
