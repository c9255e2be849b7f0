# SPDX-License-Identifier: Apache-2.0
"""A picture of how a fleet starts: text of an SVG file from results.

The results are the rows that dnnl_cache_fleet_bench --json writes.
"""
from picture import Diagram, Picture

# Title, axis, and the curves: operation, what divides its values, colour, mark,
# words.
PANELS = (
    ("time to ready", "seconds; dashed: target, {} compiling once", (
        ("ready", 1e9, "blue", "circle", "last host"),
        ("first", 1e9, "rust", "square", "first host"))),
    ("requests to the server", "thousands of commands", (
        ("requests", 1e3, "blue", "circle", "commands"),)),
)


def points_of(rows, operation, divisor):
    return sorted((row["entries"], row["ours"] / divisor) for row in rows
                  if row["operation"] == operation)


def draw_panel(picture, panel, rows, hosts, limit, times=""):
    """limit: of the values, or None; times: that in words."""
    title, unit, curves = panel
    series = [(points_of(rows, operation, divisor), colour, shape)
              for operation, divisor, colour, shape, _ in curves]
    diagram = Diagram(picture, hosts, max(
        [limit or 0] + [value for points, _, _ in series
                        for _, value in points]))
    diagram.axes(hosts, title, unit.format(times), "hosts (logarithmic)")
    for points, colour, shape in series:
        diagram.curve(points, colour, shape)
    if limit:
        diagram.level(limit)


def chart(rows):
    """The SVG file's text."""
    rows = [row for row in rows if row.get("operation")]
    hosts = sorted({row["entries"] for row in rows})
    ready = next(row for row in rows if row["operation"] == "ready")
    title = ("Hosts that start at once and want the same programs, over one "
             "Redis")
    picture = Picture(title, "Two diagrams for 1 to "
                      f"{hosts[-1]} hosts: the time until they are ready, and "
                      "the number of commands that the server got. The table "
                      "beside the picture has the numbers.")
    picture.heading(title)
    picture.note("Compiling is simulated: one program takes as long on each "
                 "host.")

    def draw(x, y, entry):
        colour, shape = entry
        picture.line(x, y, x + 24, y, colour, 2)
        picture.mark(x + 12, y, colour, shape)
    picture.legend([(words, (colour, shape)) for _, _, colour, shape, words
                    in PANELS[0][2]], draw)
    target = ready["target"]
    draw_panel(picture, PANELS[0], rows, hosts,
               target * ready["reference"] / 1e9,
               "twice" if target == 2 else f"{target:g} times")
    draw_panel(picture, PANELS[1], rows, hosts, None)
    return picture.done()
