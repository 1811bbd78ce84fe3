"""Boxes and arrows of the rooms, for rooms.py."""

import textwrap

WIDTH, BOX, HEIGHT = 1010, 218, 76  # of the picture, of a box
COLUMN, ROW, LEFT, TOP = 246, 122, 136, 106  # between the middles of boxes; of the first one
HALF = 106  # the width of a box that shares its column with another
COMMON = ("base", "model")  # included nearly everywhere

STYLE = """
  text { font-family: -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, sans-serif; fill: #1f2328; }
  .paper, .halo { fill: #ffffff; } .faint { fill: #59636e; } .box { stroke: #8c959f; }
  .arrow { stroke: #6e7781; stroke-width: 1.4; fill: none; } .tip { fill: #6e7781; }
  .base { fill: #eaeef2; } .model { fill: #ddf4ff; } .sim, .nn { fill: #dafbe1; }
  .search { fill: #fff1d6; } .io { fill: #fbe5f1; } .cli { fill: #ece4fb; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .paper, .halo { fill: #0d1117; } .faint { fill: #9aa4af; }
    .box { stroke: #57606a; } .arrow { stroke: #9aa4af; } .tip { fill: #9aa4af; }
    .base { fill: #2d333b; } .model { fill: #0c2d4d; } .sim, .nn { fill: #0f3a22; }
    .search { fill: #47330f; } .io { fill: #4b1e37; } .cli { fill: #32205a; }
  }
"""
CAPTION = ("An arrow: the room includes the other, in so many places. It may include whatever lies "
           "further along its arrows; “also” says how",
           "often it does, leaving out base and model, which nearly all rooms include.")


def text(x, y, size, words, kind="", bold=False):
    named = f' class="{kind}"' if kind else ""
    weight = ' font-weight="600"' if bold else ""
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="middle"{named}{weight}>'
            f"{words}</text>")


def direct(arrows):
    """Those that no way over other rooms replaces."""
    reached = {}

    def below(room):
        if room not in reached:
            nexts = [end for start, end in arrows if start == room]
            reached[room] = set(nexts).union(*(below(end) for end in nexts))
        return reached[room]

    return {(start, end) for start, end in arrows
            if not any(end in below(other) for origin, other in arrows if origin == start)}


def middle(room):
    return LEFT + room.column * COLUMN, TOP + room.row * ROW


def width(room):
    return HALF if len(room.purpose) < 12 and room.column % 1 else BOX


def short(room):
    return room.split("/")[-1]


def title(room, files):
    """The room's name, small and faint before it its layer's and after it the number of files."""
    layer = room.name.removesuffix(short(room.name))
    small = '<tspan class="faint" font-size="11" font-weight="400">'
    counted = f"{small}\u00a0· {files} files</tspan>" if width(room) == BOX else ""
    return f"{small}{layer}</tspan>{short(room.name)}{counted}"


def box(room, files, others):
    """`others`: what it includes besides along its arrows."""
    x, y = middle(room)
    wide = width(room)
    also = ", ".join(f"{short(name)}\u00a0{count}" for name, count in others)
    small = textwrap.wrap("also " + also, 38) if also else []
    top = y - 2 - 6 * len(small)
    return [f'<rect class="box {room.layer}" x="{x - wide / 2:g}" y="{y - HEIGHT / 2:g}" '
            f'width="{wide}" height="{HEIGHT}" rx="8"/>',
            text(x, top, 14, title(room, files), bold=True),
            text(x, top + 16, 11, room.purpose if wide == BOX else f"{files} files"),
            *(text(x, top + 31 + 13 * number, 10, line, "faint")
              for number, line in enumerate(small))]


def shifts(pairs, rooms):
    """Where each arrow leaves and arrives along the edges of its boxes, from -1 to 1."""
    result = {pair: [0, 0] for pair in pairs}
    for end in (0, 1):
        for room in rooms.values():
            own = sorted((pair for pair in pairs if pair[end] == room.name),
                         key=lambda pair: (rooms[pair[1 - end]].column, pair))
            for number, pair in enumerate(own):
                result[pair][end] = (2 * number + 1) / len(own) - 1
    return result


def hits(points, boxes):
    return sum(abs(x - middle(room)[0]) < width(room) / 2 + 6 and
               abs(y - middle(room)[1]) < HEIGHT / 2 + 4 for x, y in points for room in boxes)


def arrow(start, end, shift, others):
    """Straight down, to the side at the height where fewest other boxes are in the way, and down:
    the path, and the middle of its way to the side."""
    (from_x, from_y), (to_x, to_y) = middle(start), middle(end)
    from_x += shift[0] * (width(start) / 2 - 14)
    to_x += shift[1] * (width(end) / 2 - 14)
    from_y, to_y = from_y + HEIGHT / 2, to_y - HEIGHT / 2 - 8
    bend = (ROW - HEIGHT - 8) / 2

    def crossed(y):
        sides = [(from_x + (to_x - from_x) * step / 40, y) for step in range(41)]
        downs = [(from_x, from_y + (y - from_y) * step / 40) for step in range(41)]
        ends = [(to_x, y + (to_y - y) * step / 40) for step in range(41)]
        return hits(sides + downs + ends, others)

    rows = round((to_y - from_y - 2 * bend) / ROW)
    y = min((from_y + bend + row * ROW for row in range(rows + 1)), key=crossed)
    path = (f"M{from_x:g},{from_y:g} V{y - bend:g} C{from_x:g},{y:g} {to_x:g},{y:g} "
            f"{to_x:g},{y + bend:g} V{to_y:g}")
    return f'<path class="arrow" marker-end="url(#tip)" d="{path}"/>', ((from_x + to_x) / 2, y)


def svg(all_rooms, files, arrows):
    rooms = {room.name: room for room in all_rooms}
    drawn = sorted(direct(arrows))
    places = shifts(drawn, rooms)
    high = TOP + max(room.row for room in rooms.values()) * ROW + HEIGHT / 2 + 24
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high:g}" '
             f'width="{WIDTH}" height="{high:g}" role="img" aria-label="The rooms of the sources '
             'and which include which">', f"<style>{STYLE}</style>",
             '<defs><marker id="tip" viewBox="0 0 8 8" refX="1" refY="4" markerWidth="7" '
             'markerHeight="7" orient="auto"><path class="tip" d="M0,0 L8,4 L0,8 z"/></marker></defs>',
             f'<rect class="paper" width="{WIDTH}" height="{high:g}" rx="10"/>',
             *(text(WIDTH / 2, 26 + 16 * number, 11, line, "faint")
               for number, line in enumerate(CAPTION))]
    labels = []
    for start, end in drawn:
        others = [room for room in rooms.values() if room.name not in (start, end)]
        path, (x, y) = arrow(rooms[start], rooms[end], places[start, end], others)
        lines.append(path)
        labels += [f'<rect class="halo" x="{x - 11:g}" y="{y - 8:g}" width="22" height="15"/>',
                   text(x, y + 4, 11, arrows[start, end], "faint")]
    lines += labels
    for room in rooms.values():
        others = sorted(((end, count) for (start, end), count in arrows.items()
                         if start == room.name and (start, end) not in drawn and end not in COMMON),
                        key=lambda other: (-other[1], other[0]))
        lines += box(room, files[room.name], others)
    return "\n".join(lines) + "\n</svg>\n"
