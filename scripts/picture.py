#!/usr/bin/env python3
"""`picture.py [--check] PROGRAM`: draws one training step of Inception-V3 from what `--trace` writes: on
one GPU and as PROGRAM places it on four (docs/inception_v3.svg), and as several algorithms do
(docs/placements_inception_v3.svg); with --check changes nothing and fails where a picture would be
another."""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GRAPH = ROOT / "graphs" / "inception_v3.json"
LEFT, RIGHT, WIDTH = 76, 26, 960
ROW, BAR, GAP = 34, 20, 50  # between rows, the height of a bar, between the two steps
TOP = 74
TICK = 100  # ms

STYLE = """
  text { font-family: -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, sans-serif; fill: #1f2328; }
  .paper { fill: #ffffff; } .faint { fill: #59636e; } .lane { fill: #f0f2f5; }
  .forward { fill: #2f7dd1; } .backward { fill: #e0852b; }
  .send { stroke: #57606a; stroke-width: 0.7; opacity: 0.55; }
  .grid { stroke: #d1d9e0; } .bound { stroke: #cf222e; stroke-dasharray: 4 3; } .red { fill: #cf222e; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .paper { fill: #0d1117; } .faint { fill: #9aa4af; } .lane { fill: #1c2128; }
    .forward { fill: #4f9be8; } .backward { fill: #e8974a; } .send { stroke: #c0c8d0; }
    .grid { stroke: #30363d; } .bound { stroke: #ff7b72; } .red { fill: #ff7b72; }
  }
"""


def spans(events):
    """(pid, tid, name, begin in us, end in us, args) for each whole event and each begin and end."""
    open_spans = collections.defaultdict(list)
    for event in events:
        thread = event["pid"], event.get("tid")
        if event["ph"] == "X":
            yield (*thread, event["name"], event["ts"], event["ts"] + event["dur"], event["args"])
        elif event["ph"] == "B":
            open_spans[thread].append(event)
        elif event["ph"] == "E":
            begin = open_spans[thread].pop()
            yield (*thread, begin["name"], begin["ts"], event["ts"], begin["args"])


def step(program, folder, *flags):
    """The result of a search, and what ran and moved in the step that it found, times in ms: ops as
    (device, name, begin, end), transfers as (from, to, begin, end)."""
    trace = pathlib.Path(folder) / "trace.json"
    command = [program, "optimize", GRAPH, "--devices", "4gpu", *flags, "--json", "--trace", trace]
    result = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    events = json.loads(trace.read_text())["traceEvents"]
    threads = {(event["pid"], event.get("tid")): event["args"]["name"] for event in events
               if event["ph"] == "M" and event["name"] == "thread_name"}
    devices = {device["name"] for device in result["per_device"]}
    ops, transfers = [], []
    for pid, tid, name, begin, end, args in spans(events):
        if "from" in args and "to" in args:
            transfers.append((args["from"], args["to"], begin / 1e3, end / 1e3))
        elif threads.get((pid, tid)) in devices:
            ops.append((threads[pid, tid], name, begin / 1e3, end / 1e3))
    return result, sorted(ops, key=lambda op: (op[0], op[2])), transfers


def text(x, y, size, words, kind="", anchor="start", bold=False):
    named = f' class="{kind}"' if kind else ""
    weight = ' font-weight="600"' if bold else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{named}{weight}>'
            f"{words}</text>")


class Picture:
    def __init__(self, last_ms):
        self.scale = (WIDTH - LEFT - RIGHT) / last_ms
        self.last_ms = last_ms
        self.lines = []

    def x(self, ms):
        return LEFT + ms * self.scale

    def bars(self, ops, rows, top, backward):
        """Ops of a device that follow each other closely and are alike are one bar."""
        joined = []
        for device, name, begin, end in ops:
            kind = "backward" if name in backward else "forward"
            last = joined[-1] if joined else None
            if last and last[:2] == [device, kind] and (begin - last[3]) * self.scale < 0.3:
                last[3] = end
            else:
                joined.append([device, kind, begin, end])
        for device, kind, begin, end in joined:
            self.lines.append(
                f'<rect class="{kind}" x="{self.x(begin):.1f}" y="{top + rows.index(device) * ROW}" '
                f'width="{max((end - begin) * self.scale, 0.2):.1f}" height="{BAR}"/>')

    def one_step(self, title, rows, ops, transfers, top, backward):
        self.lines.append(text(LEFT, top - 12, 14, title, bold=True))
        for ms in range(0, int(self.last_ms) + 1, TICK):
            self.lines.append(f'<line class="grid" x1="{self.x(ms):.1f}" y1="{top - 4}" '
                              f'x2="{self.x(ms):.1f}" y2="{top + len(rows) * ROW - ROW + BAR + 5}"/>')
        for number, device in enumerate(rows):
            y = top + number * ROW
            self.lines.append(f'<rect class="lane" x="{LEFT}" y="{y}" height="{BAR}" '
                              f'width="{self.last_ms * self.scale:.1f}"/>')
            self.lines.append(text(LEFT - 10, y + 15, 12, device, "faint", "end"))
        for start, end, begin_ms, end_ms in transfers:
            first, last = rows.index(start), rows.index(end)
            edges = (BAR, 0) if first < last else (0, BAR)
            self.lines.append(
                f'<line class="send" x1="{self.x(begin_ms):.1f}" y1="{top + first * ROW + edges[0]}" '
                f'x2="{self.x(end_ms):.1f}" y2="{top + last * ROW + edges[1]}"/>')
        self.bars(ops, rows, top, backward)


def backward_ops():
    return {op["name"] for op in json.loads(GRAPH.read_text())["ops"] if op.get("backward")}


def key():
    """What the colours stand for, one line at the top."""
    return [
        text(LEFT, 26, 12, "One training step of Inception-V3, 32 images, simulated:", "faint"),
        f'<rect class="forward" x="{LEFT + 372}" y="16" width="12" height="12"/>',
        text(LEFT + 390, 26, 12, "forward", "faint"),
        f'<rect class="backward" x="{LEFT + 452}" y="16" width="12" height="12"/>',
        text(LEFT + 470, 26, 12, "backward and update", "faint"),
        f'<line class="send" x1="{LEFT + 612}" y1="16" x2="{LEFT + 624}" y2="28"/>',
        text(LEFT + 630, 26, 12, "a tensor on its way", "faint")]


def whole(lines, high, label):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high}" width="{WIDTH}" '
        f'height="{high}" role="img" aria-label="{label}">', f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{high}" rx="10"/>', *lines]) + "\n</svg>\n"


def drawing(steps, backward, label):
    """The steps, each (title, result, ops, transfers), below each other, with the bound beside all
    of them but the first."""
    last_ms = max(result["step_seconds"] for _, result, _, _ in steps) * 1e3
    bound_ms = steps[-1][1]["lower_bound_seconds"] * 1e3
    picture, top, bottom = Picture(last_ms), TOP, TOP
    for number, (title, result, ops, transfers) in enumerate(steps):
        rows = sorted({op[0] for op in ops}, key=lambda name: (name.startswith("cpu"), name))
        bottom = top + len(rows) * ROW - ROW + BAR
        picture.one_step(f"{title}: {result['step_seconds'] * 1e3:.1f} ms", rows, ops, transfers, top,
                         backward)
        if number > 0:
            picture.lines.append(f'<line class="bound" x1="{picture.x(bound_ms):.1f}" y1="{top - 26}" '
                                 f'x2="{picture.x(bound_ms):.1f}" y2="{bottom + 6}"/>')
        if number == 1:
            picture.lines.append(text(picture.x(bound_ms) + 8, top - 16, 12,
                                      f"no placement is faster than {bound_ms:.1f} ms", "red"))
        top = bottom - BAR + ROW + GAP
    numbers = [text(picture.x(ms), bottom + 22, 11, f"{ms} ms", "faint", "middle")
               for ms in range(0, int(last_ms) + 1, TICK)]
    return whole(key() + picture.lines + numbers, bottom + 40, label)


def pictures(program):
    """By file: that of README.md, and placements side by side for docs/learners.md."""
    with tempfile.TemporaryDirectory() as folder:
        def titled(title, *flags):
            return (title, *step(program, folder, "--seed", "1", "--algo", *flags))
        alone = titled("Everything on one GPU", "single-device")
        post = titled("As placer --algo post places it", "post")
        others = [titled("--algo expert, a quarter of the layers each", "expert"),
                  titled("--algo heft", "heft"),
                  titled("--algo post --as-published", "post", "--as-published"),
                  titled("--algo auto", "auto")]
    docs, backward = ROOT / "docs", backward_ops()
    return {
        docs / "inception_v3.svg":
            drawing([alone, post], backward,
                    "A training step of Inception-V3 on one GPU and placed on four"),
        docs / "placements_inception_v3.svg":
            drawing(others, backward,
                    "A training step of Inception-V3 on four GPUs as four algorithms place it")}


def main():
    check = "--check" in sys.argv[1:]
    program, = (argument for argument in sys.argv[1:] if argument != "--check")
    for picture, drawn in pictures(pathlib.Path(program).resolve()).items():
        if not check:
            picture.write_text(drawn)
        elif picture.read_text() != drawn:
            sys.exit(f"{picture} is out of date: run scripts/picture.py PROGRAM")


main()
