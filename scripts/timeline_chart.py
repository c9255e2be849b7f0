# SPDX-License-Identifier: Apache-2.0
"""A picture of a model's cold and warm start: text of an SVG file.

What is drawn are the records that model_loader --json writes. The same records
give the same bytes.
"""
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT = 980, 120, 40
ROW, GAP, TOP = 15, 26, 40
FONT = 'font-family="sans-serif"'

# Until the model is ready; colours differ in lightness, too.
PHASES = {
    "parse": ("read the model", "#6b6b6b"),
    "engine": ("make the engine", "#1c7c3c"),
    "identity": ("name the device", "#7fb796"),
    "store": ("ask the store", "#7a3fa0"),
    "driver_load": ("load programs", "#0057a8"),
    "compile": ("compile programs", "#a13d00"),
    "upload": ("upload weights", "#c79a00"),
    "describe": ("make primitives", "#5aa0d8"),
    "first_run": ("first run", "#c0392b"),
}


def text(x, y, words, size=12, anchor="middle", colour="#222"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" {FONT} '
            f'text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>')


def box(x, y, width, height, colour):
    return (f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.8):.1f}" '
            f'height="{height}" fill="{colour}"/>')


def duration(ms):
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms"


def spans_of(record):
    """Phases in the order of their beginning, up to the end of the first run."""
    spans = [span for span in record["timeline"] if span["phase"] in PHASES]
    return sorted(spans, key=lambda span: (span["begin"], span["end"]))


def end_of(record):
    return max(span["end"] for span in spans_of(record))


def length_of(begin, end, y, words):
    """A phase's length: behind its bar, else in it, else before it."""
    if end + 4 < WIDTH - RIGHT - 60:
        return text(end + 4, y, words, 10, "start")
    if end - begin > 60:
        return text(end - 4, y, words, 10, "end", "#fff")
    return text(begin - 4, y, words, 10, "end")


def rows_of(record, y, scale):
    """One line a phase, and the moment when all is ready."""
    out = []
    for span in spans_of(record):
        words, colour = PHASES[span["phase"]]
        x = LEFT + span["begin"] * scale
        length = span["end"] - span["begin"]
        out.append(text(LEFT - 8, y + 11, words, 11, "end"))
        out.append(box(x, y, length * scale, ROW - 3, colour))
        out.append(length_of(x, x + length * scale, y + 11, duration(length)))
        y += ROW
    ready = LEFT + record["ready"] * scale
    top = y - ROW * len(spans_of(record))
    out.append(f'<line x1="{ready:.1f}" y1="{top}" x2="{ready:.1f}" '
               f'y2="{y}" stroke="#222" stroke-dasharray="3 3"/>')
    return out, y


def draw(title, cold, warm):
    """The text of the picture: cold above, warm below on a scale of its own."""
    room = WIDTH - LEFT - RIGHT
    out = [text(WIDTH / 2, 22, title, 15)]
    y = TOP
    for name, record in (("cold", cold), ("warm", warm)):
        scale = room / end_of(record)
        note = f"{name}: ready in {duration(record['ready'])}"
        if name == "warm":
            note += (f", {cold['ready'] / record['ready']:.0f} times sooner; "
                     f"drawn {end_of(cold) / end_of(record):.0f} times larger")
            out.append(box(LEFT, y, record["ready"] * room / end_of(cold), 4,
                           "#222"))
            out.append(text(LEFT - 8, y + 6, "to scale", 10, "end"))
            y += 12
        out.append(text(LEFT, y + 12, note, 12, "start"))
        rows, y = rows_of(record, y + 20, scale)
        out += rows
        y += GAP
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
            f'height="{y}" viewBox="0 0 {WIDTH} {y}">')
    return "\n".join([head, f'<rect width="{WIDTH}" height="{y}" fill="#fff"/>',
                      *out, "</svg>", ""])
