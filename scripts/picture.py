# SPDX-License-Identifier: Apache-2.0
"""Pictures for the documents: text of SVG files, drawn from results.

What timeline_chart.py, bars_chart.py, store_chart.py and fleet_chart.py share. A
picture needs no other file, has colours for light and for dark pages, and a
title and a description for screen readers. It is WIDTH units wide and letters
are at least 14 units high, so that they have 11 pixels on a telephone of 390.
The same values give the same bytes.
"""
import math
from xml.sax.saxutils import escape

WIDTH = 440
SMALL, NORMAL, LARGE = 14, 15, 17
CHARACTER = 0.55  # the width of a letter, over its height

# (on light pages, on dark ones); colours differ in lightness, too.
COLOURS = {
    "blue": ("#0057a8", "#6cb6ff"),
    "rust": ("#a13d00", "#f0883e"),
    "green": ("#1c7c3c", "#56d364"),
    "purple": ("#7a3fa0", "#d2a8ff"),
    "grey": ("#7d8590", "#8b949e"),
    "yellow": ("#9a6b00", "#e3b341"),
    "sky": ("#4a97d2", "#a5d6ff"),
    "mint": ("#6fae88", "#aff5b4"),
    "red": ("#c0392b", "#ff7b72"),
}
PLAIN = {"page": ("#ffffff", "#16181c"), "ink": ("#1f2328", "#e6edf3"),
         "grid": ("#d8dee4", "#3d444d")}


def style():
    """Colours by class: as areas, as lines (l-), and the page's own."""
    def rules(side):
        return "".join(
            f".{name}{{fill:{pair[side]}}}.l-{name}{{stroke:{pair[side]}}}"
            for name, pair in (COLOURS | PLAIN).items())
    return ("<style>text{font-family:system-ui,sans-serif}" + rules(0) +
            "@media(prefers-color-scheme:dark){" + rules(1) + "}</style>")


def seconds(ms):
    """A time, as people say it."""
    if ms >= 1000:
        return f"{ms / 1000:.1f} s" if ms >= 10000 else f"{ms / 1000:.2f} s"
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms"


def grouped(number):
    """12345 as 12 345."""
    return f"{number:,}".replace(",", "\u202f")


def width_of(words, size=SMALL):
    return len(words) * size * CHARACTER


class Picture:
    """Parts of a picture from its top to its bottom; y is where the next is."""

    def __init__(self, title, description):
        self.title, self.description = title, description
        self.parts, self.y = [], 12

    def text(self, x, y, words, size=SMALL, anchor="start", kind="ink",
             extra=""):
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" class="{kind}" '
            f'text-anchor="{anchor}"{extra}>{escape(words)}</text>')

    def heading(self, words):
        """The title that is seen, in lines that fit."""
        line = ""
        for word in [*words.split(), None]:
            # Bold letters are wider.
            if word and width_of(f"{line} {word}", LARGE) * 1.1 < WIDTH - 16:
                line = f"{line} {word}".strip()
                continue
            self.y += 20
            self.text(8, self.y, line, LARGE, extra=' font-weight="bold"')
            line = word or ""
        self.y += 10

    def note(self, words):
        line = ""
        for word in [*words.split(), None]:
            if word and width_of(f"{line} {word}") < WIDTH - 16:
                line = f"{line} {word}".strip()
                continue
            self.y += 18
            self.text(8, self.y, line)
            line = word or ""
        self.y += 6

    def box(self, x, y, width, height, colour, words=""):
        """An area; words are shown where the mouse is on it."""
        title = f"<title>{escape(words)}</title>" if words else ""
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" '
            f'height="{height:g}" class="{colour}">{title}</rect>')

    def line(self, x1, y1, x2, y2, colour="ink", width=1, dash=""):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'class="l-{colour}" stroke-width="{width}"{dashes}/>')

    def curve(self, points, colour, shape="circle"):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" '
                          f'class="l-{colour}" stroke-width="2"/>')
        for x, y in points:
            self.mark(x, y, colour, shape)

    def mark(self, x, y, colour, shape="circle"):
        """About 9 units across."""
        if shape == "circle":
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" '
                              f'class="{colour}"/>')
            return
        corners = {
            "square": ((-4, -4), (4, -4), (4, 4), (-4, 4)),
            "triangle": ((0, -5), (5, 4), (-5, 4)),
            "diamond": ((0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)),
        }[shape]
        points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
        self.parts.append(f'<polygon points="{points}" class="{colour}"/>')

    def legend(self, entries, draw):
        """Names from left to right, in lines that fit; draw(x, y, entry) draws
        what stands for one, 24 units wide."""
        x = 8
        self.y += 20
        for words, entry in entries:
            needed = 30 + width_of(words) + 14
            if x > 8 and x + needed > WIDTH:
                x = 8
                self.y += 20
            draw(x, self.y - 5, entry)
            self.text(x + 30, self.y, words)
            x += needed
        self.y += 8

    def done(self):
        """The file's text."""
        height = math.ceil(self.y + 10)
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
            f'height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" '
            'aria-labelledby="title description">',
            f'<title id="title">{escape(self.title)}</title>',
            f'<desc id="description">{escape(self.description)}</desc>',
            style(), f'<rect width="{WIDTH}" height="{height}" class="page"/>',
            *self.parts, "</svg>", ""])


# ---- Diagrams --------------------------------------------------------------

def tick_step(top):
    """So that there are four to eight ticks up to top."""
    step = 10 ** math.floor(math.log10(top))
    for share in (0.1, 0.2, 0.25, 0.5, 1, 2):
        if top / (step * share) <= 8:
            return step * share
    return step * 5


class Diagram:
    """Logarithmic in a number, linear from 0 in a value; below what is drawn."""

    LEFT, RIGHT, HEIGHT = 52, 24, 190

    def __init__(self, picture, numbers, highest):
        self.picture = picture
        self.low = math.log10(numbers[0])
        self.high = max(math.log10(numbers[-1]), self.low + 0.1)
        self.step = tick_step(highest * 1.1)
        self.top = math.ceil(highest * 1.1 / self.step) * self.step

    def x(self, number):
        share = (math.log10(number) - self.low) / (self.high - self.low)
        return self.LEFT + 10 + (WIDTH - self.LEFT - self.RIGHT - 20) * share

    def y(self, value):
        return self.above + self.HEIGHT * (1 - value / self.top)

    def axes(self, numbers, title, unit, name):
        """Its title, what the values are, and what the numbers are."""
        picture, right = self.picture, WIDTH - self.RIGHT
        picture.y += 26
        picture.text(8, picture.y, title, NORMAL, extra=' font-weight="bold"')
        picture.y += 20
        picture.text(8, picture.y, unit)
        self.above = picture.y + 14
        bottom = self.above + self.HEIGHT
        for i in range(round(self.top / self.step) + 1):
            y = self.y(i * self.step)
            picture.line(self.LEFT, y, right, y, "grid")
            picture.text(self.LEFT - 6, y + 5, f"{i * self.step:g}",
                         anchor="end")
        last = -math.inf
        for number in numbers:
            x, words = self.x(number), grouped(number)
            picture.line(x, bottom, x, bottom + 5)
            if x - width_of(words) / 2 > last:
                picture.text(x, bottom + 20, words, anchor="middle")
                last = x + width_of(words) / 2 + 4
        picture.line(self.LEFT, bottom, right, bottom)
        picture.text(right, bottom + 39, name, anchor="end")
        picture.y = bottom + 46

    def curve(self, points, colour, shape="circle"):
        self.picture.curve([(self.x(n), self.y(v)) for n, v in points], colour,
                           shape)

    def level(self, value):
        y = self.y(value)
        self.picture.line(self.LEFT, y, WIDTH - self.RIGHT, y, "red", 1.5, "6 4")
