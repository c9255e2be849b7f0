# SPDX-License-Identifier: Apache-2.0
"""A picture of how stores grow: text of an SVG file from results.

The results are the rows that dnnl_cache_store_bench --scale --json writes.
"""
from picture import Diagram, Picture

# A colour, and a mark for who sees no colours.
STYLES = {
    "bucket": ("blue", "circle"),
    "tree": ("rust", "square"),
    "flat": ("green", "triangle"),
    "pack": ("purple", "diamond"),
}

# Title, axis, and which rows.
PANELS = (
    ("get of 90 KB", "time / reading a file", "get", "plain"),
    ("get of 90 KB", "time / time with fewest entries", "get", "base"),
    ("put of 2 KB that evicts", "time / time with fewest entries", "put",
     "base"),
)


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


def draw_panel(picture, panel, rows, entries):
    title, unit, operation, versus = panel
    series = series_of(rows, operation, versus)
    target = min(row["target"] for row in rows
                 if (row["operation"], row["versus"]) == (operation, versus))
    highest = max([target] + [ratio for points in series.values()
                              for _, ratio in points])
    diagram = Diagram(picture, entries, highest)
    diagram.axes(entries, title, f"{unit}; dashed: target, {target:g}",
                 "entries (logarithmic)")
    for store, (colour, shape) in STYLES.items():
        if series.get(store):
            diagram.curve(series[store], colour, shape)
    diagram.level(target)


def chart(rows):
    """The SVG file's text."""
    entries = sorted({row["entries"] for row in rows})
    systems = ", ".join(sorted({row["file_system"] for row in rows}))
    title = f"Stores with more and more entries, on {systems}"
    picture = Picture(title, "Three diagrams of the time of a get and of a put "
                      f"with {entries[0]} to {entries[-1]} entries, for each "
                      "store. The table beside the picture has the numbers.")
    picture.heading(title)
    picture.note("Lower is better; a level curve is the aim.")

    def draw(x, y, store):
        colour, shape = STYLES[store]
        picture.line(x, y, x + 24, y, colour, 2)
        picture.mark(x + 12, y, colour, shape)
    picture.legend([(store, store) for store in STYLES
                    if any(row["store"] == store for row in rows)], draw)
    for panel in PANELS:
        draw_panel(picture, panel, rows, entries)
    return picture.done()
