# SPDX-License-Identifier: Apache-2.0
"""Pictures of starts as bars: applications, and a network on two drivers.

Results are those of tests/apps/run.sh, of scripts/results.py
--measure models --caches, and of scripts/nvidia_results.sh.
"""
import re

from picture import SMALL, WIDTH, Picture, seconds

NAMES = {
    "clblast": "CLBlast's tests", "clfft": "clFFT's client",
    "darktable": "darktable", "ffmpeg": "FFmpeg", "gegl": "GEGL",
    "hcxkeys": "hcxkeys", "opencv": "OpenCV, Python", "pyopencl": "pyopencl",
}
RUNS = (("bare", "no cache", "grey"), ("cold", "first start", "rust"),
        ("warm", "later starts", "blue"))
BAR, RIGHT = 13, 68


def draw_application(picture, row):
    """Three bars on a scale of the application's own."""
    longest = max(row[run]["ms"] for run, _, _ in RUNS)
    name = NAMES.get(row["application"], row["application"])
    ratio = row["bare"]["ms"] / row["warm"]["ms"]
    picture.y += 24
    picture.text(8, picture.y, name, SMALL, extra=' font-weight="bold"')
    words = f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"
    picture.text(WIDTH - 8, picture.y, "its programs are not kept"
                 if row["not_kept"] else f"{words} times as fast", anchor="end")
    picture.y += 6
    for run, words, colour in RUNS:
        ms = row[run]["ms"]
        length = (WIDTH - 8 - RIGHT) * ms / longest
        picture.box(8, picture.y, length, BAR, colour,
                    f"{name}, {words}: {seconds(ms)}")
        picture.text(8 + length + 5, picture.y + 12, seconds(ms))
        picture.y += BAR + 2


def applications(rows):
    """The text of the picture; those that gain most come first."""
    rows = sorted(rows, key=lambda row: row["warm"]["ms"] / row["bare"]["ms"])
    words = ", ".join(f"{NAMES.get(r['application'], r['application'])} "
                      f"{seconds(r['bare']['ms'])} and "
                      f"{seconds(r['warm']['ms'])}" for r in rows)
    picture = Picture("Unmodified applications with and without the layer",
                      f"Time of a run without a cache and of a later one: "
                      f"{words}.")
    picture.heading("Unmodified applications, start to exit")

    def draw(x, y, colour):
        picture.box(x, y - 6, 24, 12, colour)
    picture.legend([(name, colour) for _, name, colour in RUNS], draw)
    for row in rows:
        draw_application(picture, row)
    picture.note(f"{rows[0]['driver'].split('-')[0].replace('pocl', 'PoCL')} "
                 f"{rows[0]['driver'].split()[1]}, {rows[0]['machine']}; the "
                 "driver's own cache is off. Each application has a scale of "
                 "its own.")
    return picture.done()


# ---- A network on two drivers ----------------------------------------------

def programs_ms(record):
    """What it took to get the programs: compiled, or loaded."""
    return record["compile"] + record["driver_load"]


def draw_starts(picture, title, starts, longest):
    left = 128
    picture.y += 26
    picture.text(8, picture.y, title, SMALL, extra=' font-weight="bold"')
    for name, record in starts:
        scale = (WIDTH - left - RIGHT) / longest
        programs = programs_ms(record)
        rest = record["ready"] - programs
        picture.y += 22
        picture.text(left - 6, picture.y, name, anchor="end")
        picture.box(left, picture.y - 13, programs * scale, 16, "rust",
                    f"{name}, programs: {seconds(programs)}")
        picture.box(left + max(programs * scale, 1), picture.y - 13,
                    rest * scale, 16, "sky", f"{name}, all else: {seconds(rest)}")
        end = left + max(programs * scale, 1) + rest * scale
        picture.text(end + 5, picture.y, seconds(record["ready"]))


def processor(device):
    """Of PoCL's name of a device, that of the processor."""
    name = device.split("-", 3)[-1] if device.startswith("pthread") else device
    return " ".join(re.sub(r"\(R\)|Processor", "", name).split())


def caches(name, pocl, nvidia):
    """The text of the picture: one network with no cache, with the driver's own
    and with ours. pocl and nvidia are rows of model_caches.json and
    nvidia_models.json."""
    groups = (
        (f"PoCL {pocl['driver'].split()[-1]}, {processor(pocl['device'])}",
         [("no cache", pocl["cold"]), ("PoCL's cache", pocl["own"]),
          ("dnnl_cache", pocl["warm"])]),
        (", ".join(part.split(" (")[0] for part in
                   nvidia["device"].replace(" 80GB HBM3", "").split(", ")),
         [("no cache", nvidia["cold"]), ("NVIDIA's cache", nvidia["driver"]),
          ("dnnl_cache", nvidia["warm"])]))
    words = "; ".join(f"{title}: " + ", ".join(
        f"{way} {seconds(record['ready'])}" for way, record in starts)
        for title, starts in groups)
    picture = Picture(f"Starts of {name} with each cache alone",
                      f"Time until the network can run: {words}.")
    picture.heading(f"{name}: time until it can run, with one cache at a time")

    def draw(x, y, colour):
        picture.box(x, y - 6, 24, 12, colour)
    picture.legend([("programs: compile or load", "rust"), ("all else", "sky")],
                   draw)
    for title, starts in groups:
        draw_starts(picture, title, starts,
                    max(record["ready"] for _, record in starts))
    picture.y += 8
    picture.note("Each driver has a scale of its own.")
    return picture.done()
