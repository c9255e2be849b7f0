# SPDX-License-Identifier: Apache-2.0
"""A picture of how a fleet starts: text of an SVG file from results.

The results are the rows that dnnl_cache_fleet_bench --json writes. The same rows
give the same bytes.
"""
import math

from store_chart import grouped, line, text, tick_step

WIDTH, HEIGHT = 760, 360
PANEL_WIDTH, PANEL_HEIGHT = 290, 220
PANEL_LEFT, PANEL_STEP, PANEL_TOP = 62, 370, 84
COLOUR, OTHER = "#0057a8", "#a13d00"

# Title, axis, and the curves: operation, what divides its values, colour, words.
PANELS = (
    ("time to ready", "seconds", (
        ("ready", 1e9, COLOUR, "last host"),
        ("first", 1e9, OTHER, "first host"))),
    ("requests to the server", "thousands", (
        ("requests", 1e3, COLOUR, "commands"),)),
)


def points_of(rows, operation, divisor):
    return sorted((row["entries"], row["ours"] / divisor) for row in rows
                  if row["operation"] == operation)


class Panel:
    """One diagram: logarithmic in hosts, linear from 0 in the value."""

    def __init__(self, number, hosts, highest):
        self.left = PANEL_LEFT + number * PANEL_STEP
        self.low = math.log10(hosts[0])
        self.high = max(math.log10(hosts[-1]), self.low + 0.1)
        step = 10 ** math.floor(math.log10(highest))
        self.step = step * tick_step(highest / step * 1.1)
        self.top = math.ceil(highest * 1.1 / self.step) * self.step

    def x(self, hosts):
        share = (math.log10(hosts) - self.low) / (self.high - self.low)
        return self.left + 8 + (PANEL_WIDTH - 16) * share

    def y(self, value):
        return PANEL_TOP + PANEL_HEIGHT * (1 - value / self.top)

    def axes(self, hosts, title, label):
        right, bottom = self.left + PANEL_WIDTH, PANEL_TOP + PANEL_HEIGHT
        middle = PANEL_TOP + PANEL_HEIGHT / 2
        parts = [text(self.left + PANEL_WIDTH / 2, PANEL_TOP - 12, title, 13,
                      extra=' font-weight="bold"')]
        for i in range(round(self.top / self.step) + 1):
            y = self.y(i * self.step)
            parts.append(line(self.left, y, right, y, "#ddd"))
            parts.append(text(self.left - 6, y + 4, f"{i * self.step:g}", 11,
                              "end"))
        for count in hosts:
            x = self.x(count)
            parts.append(line(x, bottom, x, bottom + 5, "#222"))
            parts.append(text(x, bottom + 18, grouped(count), 10))
        parts.append(line(self.left, PANEL_TOP, self.left, bottom, "#222"))
        parts.append(line(self.left, bottom, right, bottom, "#222"))
        parts.append(text(self.left + PANEL_WIDTH / 2, bottom + 38,
                          "hosts (logarithmic)"))
        parts.append(text(self.left - 42, middle, label, 12,
                          extra=f' transform="rotate(-90 {self.left - 42} '
                                f'{middle:g})"'))
        return parts

    def curve(self, points, colour):
        path = " ".join(f"{self.x(n):.1f},{self.y(v):.1f}" for n, v in points)
        parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" '
                 f'stroke-width="2"/>']
        return parts + [f'<circle cx="{self.x(n):.1f}" cy="{self.y(v):.1f}" '
                        f'r="4" fill="{colour}"/>' for n, v in points]

    def level(self, value, words):
        y = self.y(value)
        return [line(self.left, y, self.left + PANEL_WIDTH, y, "#c00000", 1.5,
                     "6 4"),
                text(self.left + 3, y - 5, words, 11, "start",
                     ' stroke="#fff" stroke-width="4" paint-order="stroke"')]

    def legend(self, curves, y):
        parts = []
        for i, (_, _, colour, words) in enumerate(curves):
            x = self.left + 24 + 110 * i
            parts.append(line(x - 10, y, x + 10, y, colour, 2))
            parts.append(text(x + 16, y + 4, words, 11, "start"))
        return parts


def draw_panel(number, rows, hosts):
    title, label, curves = PANELS[number]
    series = [points_of(rows, operation, divisor)
              for operation, divisor, _, _ in curves]
    alone = [row for row in rows if row["operation"] == "ready"]
    limit = alone[0]["target"] * alone[0]["reference"] / 1e9
    highest = max(value for points in series for _, value in points)
    if number == 0:
        highest = max(highest, limit)
    panel = Panel(number, hosts, highest)
    parts = panel.axes(hosts, title, label)
    for points, (_, _, colour, _) in zip(series, curves):
        parts += panel.curve(points, colour)
    if number == 0:
        parts += panel.level(limit, "target: at most twice compiling once")
    # Where no curve is.
    y = PANEL_TOP + (PANEL_HEIGHT - 16 if number == 0 else 16)
    return parts + panel.legend(curves, y)


def chart(rows):
    """The SVG file's text."""
    rows = [row for row in rows if row.get("operation")]
    hosts = sorted({row["entries"] for row in rows})
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
        f'height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        "<title>Time to ready and requests by number of hosts</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        text(PANEL_LEFT, 26, "Hosts that start at once and want the same "
             "programs, over one Redis", 15, "start", ' font-weight="bold"'),
        text(PANEL_LEFT, 46, "Compiling is simulated: one program takes as "
             "long on each host.", 12, "start"),
    ]
    for number in range(len(PANELS)):
        parts += draw_panel(number, rows, hosts)
    return "\n".join(parts + ["</svg>"]) + "\n"
