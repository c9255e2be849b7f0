# SPDX-License-Identifier: Apache-2.0
"""A picture of a model's starts, cold and warm: text of an SVG file.

What is drawn are the records that model_loader --json writes.
"""
from picture import SMALL, WIDTH, Picture, seconds, width_of

LEFT, RIGHT, ROW = 128, 12, 22
# A phase that takes a smaller share of the start is left out.
LEAST = 0.005

# Until the model is ready, and its first run.
PHASES = {
    "parse": ("read the model", "grey"),
    "engine": ("make the engine", "green"),
    "identity": ("name the device", "mint"),
    "store": ("ask the store", "purple"),
    "driver_load": ("load programs", "blue"),
    "compile": ("get programs", "rust"),
    "upload": ("upload weights", "yellow"),
    "describe": ("make primitives", "sky"),
    "first_run": ("first run", "red"),
}


def spans_of(record):
    """Phases in the order of their beginning, up to the end of the first run."""
    spans = [span for span in record["timeline"] if span["phase"] in PHASES]
    return sorted(spans, key=lambda span: (span["begin"], span["end"]))


def end_of(record):
    return max(span["end"] for span in spans_of(record))


def draw_length(picture, begin, end, y, words):
    """A phase's length: behind its bar, else in it, else before it."""
    needed = width_of(words) + 8
    if end + needed < WIDTH - RIGHT:
        picture.text(end + 4, y, words)
    elif end - begin > needed:
        picture.text(end - 4, y, words, anchor="end", kind="page")
    else:
        picture.text(begin - 4, y, words, anchor="end")


def draw_overview(picture, starts):
    """A bar for each start, all on one scale."""
    longest = max(record["ready"] for _, record in starts)
    room = WIDTH - LEFT - RIGHT
    for name, record in starts:
        length = room * record["ready"] / longest
        picture.y += ROW
        picture.text(LEFT - 6, picture.y, name, anchor="end")
        picture.box(LEFT, picture.y - 13, length, 16,
                    "rust" if name == "no cache" else "blue")
        draw_length(picture, LEFT, LEFT + length, picture.y,
                    seconds(record["ready"]))
    picture.y += 10


def draw_phases(picture, name, record, largest):
    """A line for each phase, on a scale of the start's own."""
    room = WIDTH - LEFT - RIGHT
    scale = room / end_of(record)
    larger = largest / end_of(record)
    note = f"{name}: ready in {seconds(record['ready'])}"
    if larger > 1.05:
        note += f" (drawn {larger:.0f} times larger)"
    picture.y += 26
    picture.text(8, picture.y, note, SMALL, extra=' font-weight="bold"')
    picture.y += 4
    top = picture.y
    for span in spans_of(record):
        length = span["end"] - span["begin"]
        if length < LEAST * end_of(record):
            continue
        words, colour = PHASES[span["phase"]]
        if span["phase"] == "compile" and name == "no cache":
            words = "compile"
        picture.y += ROW
        x = LEFT + span["begin"] * scale
        picture.text(LEFT - 6, picture.y - 4, words, anchor="end")
        picture.box(x, picture.y - 17, length * scale, 16, colour,
                    f"{words}: {seconds(length)}")
        draw_length(picture, x, x + length * scale, picture.y - 4,
                    seconds(length))
    ready = LEFT + record["ready"] * scale
    picture.line(ready, top, ready, picture.y, "ink", 1, "3 3")


def draw(title, starts):
    """The text of the picture; starts: [(name, record)], the first without any
    cache."""
    words = ", ".join(f"{name} {seconds(record['ready'])}"
                      for name, record in starts)
    picture = Picture(f"Starts of {title}", f"Time until the network can run: "
                      f"{words}. Below, the phases of each start.")
    picture.heading(f"{title}: time until it can run")
    draw_overview(picture, starts)
    for name, record in starts:
        draw_phases(picture, name, record, end_of(starts[0][1]))
    picture.y += 4
    picture.note("Dashed: ready. Phases overlap, since two threads work; phases "
                 f"below {LEAST * 100:g} % are left out.")
    return picture.done()
