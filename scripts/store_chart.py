# SPDX-License-Identifier: Apache-2.0
"""A picture of how stores grow: text of an SVG file from results.

The results are the rows that dnnl_cache_store_bench --scale --json writes. The
same rows give the same bytes.
"""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 980, 376
PANEL_WIDTH, PANEL_HEIGHT = 248, 230
PANEL_LEFT, PANEL_STEP, PANEL_TOP = 58, 320, 92
# Words on curves stay readable.
HALO = ' stroke="#fff" stroke-width="4" paint-order="stroke"'
FONT = "font-family=\"sans-serif\""

# Colours that differ in lightness, too, and marks for who sees none.
STYLES = {
    "bucket": ("#0057a8", "circle"),
    "tree": ("#a13d00", "square"),
    "flat": ("#1c7c3c", "triangle"),
    "pack": ("#7a3fa0", "diamond"),
}

# Title, axis, and which rows.
PANELS = (
    ("get of 90 KB", "time / open, read, close of a file", "get", "plain"),
    ("get of 90 KB", "time / time with the fewest entries", "get", "base"),
    ("put of 2 KB that evicts", "time / time with the fewest entries", "put",
     "base"),
)


def text(x, y, words, size=12, anchor="middle", extra=""):
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" {FONT} '
            f'text-anchor="{anchor}" fill="#222"{extra}>{escape(words)}</text>')


def line(x1, y1, x2, y2, colour, width=1, dash=""):
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{colour}" stroke-width="{width}"{dashes}/>')


def mark(x, y, store):
    """A store's mark, about 8 units across."""
    colour, shape = STYLES[store]
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
    corners = {
        "square": ((-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)),
        "triangle": ((0, -4.6), (4.4, 3.4), (-4.4, 3.4)),
        "diamond": ((0, -5), (5, 0), (0, 5), (-5, 0)),
    }[shape]
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon points="{points}" fill="{colour}"/>'


def grouped(number):
    """12345 as 12 345."""
    return f"{number:,}".replace(",", "\u202f")


def series_of(rows, operation, versus):
    """{store: [(entries, ratio)]}; the fewest entries are 1 to themselves."""
    series = {}
    for row in rows:
        if row["ratio"] is None or row["operation"] != operation:
            continue
        points = series.setdefault(row["store"], {})
        if row["versus"] == versus:
            points[row["entries"]] = row["ratio"]
        elif versus == "base" and row["entries"] == row["base"]:
            points.setdefault(row["base"], 1.0)
    return {store: sorted(points.items()) for store, points in series.items()}


def tick_step(top):
    """So that there are four to eight ticks up to top."""
    for step in (0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100):
        if top / step <= 8:
            return step
    return top / 5


class Panel:
    """One diagram: logarithmic in entries, linear from 0 in the ratio."""

    def __init__(self, left, entries, top):
        self.left = left
        self.low = math.log10(entries[0])
        self.high = max(math.log10(entries[-1]), self.low + 0.1)
        self.top = top

    def x(self, entries):
        share = (math.log10(entries) - self.low) / (self.high - self.low)
        return self.left + 8 + (PANEL_WIDTH - 16) * share

    def y(self, ratio):
        return PANEL_TOP + PANEL_HEIGHT * (1 - ratio / self.top)

    def axes(self, entries, title, label):
        right, bottom = self.left + PANEL_WIDTH, PANEL_TOP + PANEL_HEIGHT
        parts = [text(self.left + PANEL_WIDTH / 2, PANEL_TOP - 12, title, 13,
                      extra=' font-weight="bold"')]
        step = tick_step(self.top)
        for i in range(int(self.top / step + 1e-9) + 1):
            y = self.y(i * step)
            parts.append(line(self.left, y, right, y, "#ddd"))
            parts.append(text(self.left - 6, y + 4, f"{i * step:g}", 11,
                              "end"))
        for count in entries:
            x = self.x(count)
            parts.append(line(x, bottom, x, bottom + 5, "#222"))
            parts.append(text(x, bottom + 18, grouped(count), 10))
        parts.append(line(self.left, PANEL_TOP, self.left, bottom, "#222"))
        parts.append(line(self.left, bottom, right, bottom, "#222"))
        parts.append(text(self.left + PANEL_WIDTH / 2, bottom + 38,
                          "entries (logarithmic)"))
        middle = PANEL_TOP + PANEL_HEIGHT / 2
        parts.append(text(self.left - 38, middle, label, 12,
                          extra=f' transform="rotate(-90 {self.left - 38} '
                                f'{middle:g})"'))
        return parts

    def target(self, ratio):
        y = self.y(ratio)
        return [line(self.left, y, self.left + PANEL_WIDTH, y, "#c00000", 1.5,
                     "6 4"),
                text(self.left + 3, y - 5,
                     f"target: at most {ratio:g}", 11, "start", HALO)]

    def curve(self, store, points):
        if not points:
            return []
        path = " ".join(f"{self.x(n):.1f},{self.y(r):.1f}" for n, r in points)
        colour = STYLES[store][0]
        parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" '
                 f'stroke-width="2"/>']
        return parts + [mark(self.x(n), self.y(r), store) for n, r in points]


def draw_panel(number, rows, entries):
    title, label, operation, versus = PANELS[number]
    series = series_of(rows, operation, versus)
    target = min(row["target"] for row in rows
                 if (row["operation"], row["versus"]) == (operation, versus))
    highest = max([target] + [r for points in series.values()
                              for _, r in points])
    step = tick_step(highest * 1.1)
    top = math.ceil(highest * 1.1 / step) * step
    panel = Panel(PANEL_LEFT + number * PANEL_STEP, entries, top)
    parts = panel.axes(entries, title, label)
    for store in STYLES:
        parts += panel.curve(store, series.get(store, []))
    return parts + panel.target(target)


def draw_legend(rows):
    systems = ", ".join(sorted({row["file_system"] for row in rows}))
    parts = [text(PANEL_LEFT, 24, "Stores with more and more entries, on "
                  f"{systems}: lower is better, level is the aim", 15, "start",
                  ' font-weight="bold"')]
    stores = [store for store in STYLES
              if any(row["store"] == store for row in rows)]
    for i, store in enumerate(stores):
        x = PANEL_LEFT + 10 + 90 * i
        parts.append(line(x - 12, 48, x + 12, 48, STYLES[store][0], 2))
        parts.append(mark(x, 48, store))
        parts.append(text(x + 18, 52, store, 12, "start"))
    return parts


def chart(rows):
    """The SVG file's text."""
    entries = sorted({row["entries"] for row in rows})
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
        f'height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        "<title>Cost of get and put of the sample stores by number of "
        "entries</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    ]
    parts += draw_legend(rows)
    for number in range(len(PANELS)):
        parts += draw_panel(number, rows, entries)
    return "\n".join(parts + ["</svg>"]) + "\n"
