# SPDX-License-Identifier: Apache-2.0
"""The tables that documents have of recorded results.

SUBJECTS, at the end, says of each table where it stands, what it is made of and
how that was measured. A new table is a function that makes its lines of rows, and
an entry there.
"""
import collections
import math
import re
import statistics
import typing

from recorded import Failure, grid


# ---- Numbers and times -----------------------------------------------------

def digits(value):
    """Three significant digits, without an exponent."""
    for places, least in ((0, 100), (1, 10), (2, 1)):
        if abs(value) >= least:
            return f"{value:.{places}f}"
    return f"{value:.3f}"


def short(value):
    """The same, without zeros at the end, and of a small one all three."""
    places = 2
    size = abs(value)
    while 0 < size < 1 and places < 7:
        size *= 10
        places += 1
    text = f"{value:.{places}f}" if abs(value) < 10 else f"{value:.1f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def duration(ns):
    return f"{digits(ns / 1e6)} ms" if ns >= 1e6 else f"{digits(ns / 1e3)} us"


def tenths(value):
    """With one digit after the point, unless it has three before."""
    return f"{value:.{0 if abs(value) >= 100 else 1}f}"


def thousands(number):
    """12345 as 12 345."""
    return f"{number:,}".replace(",", " ")


def judged(text, met):
    return text if met else f"**{text}** (missed)"


def ratio_of(row):
    if row is None or row["ratio"] is None:
        return "not measured"
    return judged(digits(row["ratio"]), row["met"])


def chosen(rows, names, key="row"):
    """The rows of these names, and those that miss a target: what a reader looks
    for. The files of results have all."""
    return [row for row in rows
            if row[key] in names or not row.get("met", True)]


def one_line(words):
    return " ".join(words.split())


# ---- The README ------------------------------------------------------------

# What the first table shows, of all that was recorded. The container's store is full
# at later starts, and no other cache is; a machine has all that it had before.
IN_CONTAINER = (("darktable", "darktable, exporting a picture"),
                ("x264", "x264, four frames"),
                ("clfft", "clFFT's client, two transforms"))
ON_MACHINE = (("clpeak_latency", "`clpeak --kernel-latency`"),)
CONTAINER, UPDATE, MACHINE = ("in a new container", "after an update of the driver",
                              "on one machine")
BUSY = 2  # processes that run or wait: such a machine is not idle


def seconds(ms):
    return f"{ms / 1000:.2f} s"


def with_price(ns, ratio):
    """What a first start took, and that over the plain start."""
    return f"{seconds(ns / 1e6)} ({ratio:.2f})"


def in_container(rows):
    rows = {(row["application"], row["caches"]): row for row in rows}
    for name, words in IN_CONTAINER:
        off, default = rows[name, "off"], rows[name, "default"]
        yield [f"{words}, {CONTAINER}", seconds(off["reference"] / 1e6),
               seconds(default["reference"] / 1e6),
               with_price(default["ours"], default["ratio"]),
               seconds(off["next"] / 1e6)]


def on_machine(rows):
    rows = {row["application"]: row for row in rows}
    for name, words in ON_MACHINE:
        if name in rows:
            row = rows[name]
            none, warm, later = (seconds(row[start] / 1e6)
                                 for start in ("none", "warm", "later"))
            yield [f"{words}, {MACHINE}", none, warm,
                   with_price(row["first"], row["first_ratio"]), later]


def of_network(rows, where, has_own):
    """A network until it can run, on a GPU. has_own: the driver's cache is full;
    with that cache on and empty nothing was measured."""
    network = {row["model"]: row for row in rows}["resnet50"]
    none, own, ours = (seconds(network[run]["ready"])
                       for run in ("cold", "driver", "warm"))
    return [f"ResNet-50 on an H100, {where}", none, own if has_own else None,
            None, ours]


AFTER_UPDATE = {"darktable": "darktable", "framework": "30 programs in C"}


def after_update(ahead):
    rows = {row["application"]: row for row in ahead}
    for name, words in AFTER_UPDATE.items():
        if name in rows:
            row = rows[name]
            yield [f"{words}, {UPDATE}", seconds(row["reference"] / 1e6), None,
                   with_price(row["ours"], row["ratio"]), None]


def starts(first, ahead, rows, nvidia):
    """Whole processes of applications, and a network until it can run."""
    lines = [*in_container(first), of_network(nvidia, CONTAINER, False),
             *after_update(ahead), *on_machine(rows),
             of_network(nvidia, MACHINE, True)]
    driver, = {row["platform"] for row in [*first, *ahead, *rows]}
    shown = [row for row in rows if row["application"] in dict(ON_MACHINE)]
    busy = any(row["load"] > BUSY for row in shown)
    during = ", which were busy in the rows \"on one machine\"" if busy else ""
    return [*grid([None, "no cache", "default caches", "first start",
                   "every later start"], lines), "",
            f"Times of whole processes, of ResNet-50 until it can run. {driver} on "
            f"two processors{during}; NVIDIA's driver on an H100."]


PEERS = {"none": "no cache", "driver": "the driver's own",
         "pyopencl": "pyopencl's own", "layer": "dnnl_cache (layer)",
         "both": "layer and driver's own", "start": "no OpenCL program"}


def peers(rows):
    """Processes of one application, with one cache or another."""
    def cell(run):
        of_none = "" if run is none else f" ({run['ratio']:.2f})"
        return f"{run['ms']:.0f} ms{of_none}"

    lines = []
    for row in rows:
        none = row["runs"]["none"]
        lines.append([f"{row['driver']} {row['version']}",
                      *(cell(row["runs"][mode]) for mode in PEERS)])
    one = rows[0]
    return [*grid(["driver", *PEERS.values()], lines), "",
            f"{one['application']} on an {one['machine']} CPU; medians of "
            f"{one['rounds']} rounds."]


# ---- dnnl_cache_bench ------------------------------------------------------

# Columns of drivers with targets of their own, which their cells name.
OTHER_TARGETS = ("nvidia",)


def bench_cell(row, target):
    """What a column says of a row, whose usual target it is."""
    if row is None or row["ratio"] is None:
        return "not measured"
    text = short(row["ratio"])
    own = "" if row["target"] == target else f"at most {short(row['target'])}"
    if not row["met"]:
        return f"**{text}** ({', '.join(filter(None, ('missed', own)))})"
    return f"{text} ({own})" if own else text


def bench_rows(results):
    """{row: (what, target)}, in the order of the files, which must agree but for
    the targets of OTHER_TARGETS."""
    known = {}
    for name, rows in sorted(results.items(),
                             key=lambda item: item[0] in OTHER_TARGETS):
        for row in rows:
            what, target = known.setdefault(row["row"],
                                            (row["what"], row["target"]))
            if what != row["what"] or (target != row["target"]
                                       and name not in OTHER_TARGETS):
                raise Failure(
                    f"{name}.json: another target or meaning of {row['row']} "
                    "than in the files before it")
    return known


BENCHES = ("nvidia", "pocl", "rusticl")  # in bench/results


RUN = "run_"  # the rows of kinds of primitive, which the table has in one


def slowest_run(name, rows):
    """The rows of one file, with the slowest of its runs in place of all."""
    runs = [row for row in rows if row["row"].startswith(RUN)]
    if not runs:
        return rows
    if len({(row["target"], row["what"].split(": ", 1)[1])
            for row in runs}) != 1:
        raise Failure(f"{name}.json: runs with different targets or meanings")
    worst = max(runs, key=lambda row: math.inf if row["ratio"] is None
                else row["ratio"])
    what = (f"{len(runs)} kinds of primitive: "
            f"{worst['what'].split(': ', 1)[1]}, the slowest")
    return [row for row in rows if row not in runs] + [
        {**worst, "row": f"{RUN}KIND", "what": what}]


BENCH_SHOWN = ("program_from_blob", "primitive_from_blob", "program_blob_size",
               "program_id_first", "primitive_hit", "matmul", f"{RUN}KIND")


def bench(*results):
    """A column for each file, and a line for each row that is shown or misses its
    target. docs/reference/performance.md explains the rows."""
    results = {name: slowest_run(name, rows)
               for name, rows in zip(BENCHES, results)}
    columns = [{row["row"]: row for row in rows} for rows in results.values()]
    shown = {row["row"] for rows in results.values()
             for row in rows if row["row"] in BENCH_SHOWN
             or not (row["met"] or row["ratio"] is None)}
    lines = grid(["row", "at most", *results], [
        [f"`{name}`", short(target),
         *(bench_cell(column.get(name), target) for column in columns)]
        for name, (_, target) in bench_rows(results).items() if name in shown])
    return lines + [""] + [
        f"- {name}: {one_line(rows[0]['platform'])}; "
        f"{one_line(rows[0]['device'])}" for name, rows in results.items()]


# ---- Other benchmarks ------------------------------------------------------

RATIO_HEADS = ["row", "ours / reference", "ours", "reference", "ratio", "at most"]


def layer_time(ns):
    for unit, size in (("ms", 1e6), ("us", 1e3), ("ns", 1)):
        if abs(ns) >= size or size == 1:
            return f"{tenths(ns / size)} {unit}"
    raise AssertionError


LAYER_SHOWN = ("hit", "hit_next", "hit_many", "miss", "miss_next", "capture",
               "call_set_argument")


def layer(rows, explained=True):
    """A line for each row that is shown; what it is only where it is explained."""
    lines = []
    for row in chosen(rows, LAYER_SHOWN):
        target = "" if row["target"] is None else f"{row['target']:g}"
        cells = ["", "", "not measured"] if row["ratio"] is None else [
            layer_time(row["ours"]), layer_time(row["reference"]),
            judged(f"{row['ratio']:.3f}", row["met"])]
        what = [row["what"]] if explained else []
        lines.append([f"`{row['row']}`", *what, *cells, target])
    return [f"Measured on {one_line(rows[0]['platform'])}; "
            f"{one_line(rows[0]['device'])}:", "",
            *(grid(RATIO_HEADS, lines, left=2) if explained else
              grid([RATIO_HEADS[0], *RATIO_HEADS[2:]], lines))]


# The applications that documents name, and the worst.
FIRST_SHOWN = ("gegl", "ffmpeg", "x264", "clpeak", "clfft", "clblast", "pyopencl",
               "opencv", "tinygrad", "reikna", "mandelbulber2", "openmm",
               "darktable", "hashcat")


def first_start(rows):
    """A line for each application that is shown: its first start, and the next,
    for each kind of caches; and the medians of all that is recorded."""
    cells = {(row["application"], row["caches"]): row for row in rows}
    lines = []
    for name in dict.fromkeys(row["application"] for row in rows):
        if name not in FIRST_SHOWN:
            continue
        line = [name]
        for caches in ("off", "default"):
            row = cells.get((name, caches))
            line += ["not measured"] * 3 if row is None else [
                ratio_of(row), digits(row["next_ratio"]),
                f"{row['next_hits']} of {row['next_hits'] + row['next_misses']}"]
        lines.append(line)
    last = ["median"]
    for caches in ("off", "default"):
        of_these = [row for row in rows if row["caches"] == caches]
        first, after = (statistics.median(row[key] for row in of_these)
                        for key in ("ratio", "next_ratio"))
        last += [judged(digits(first), first <= 1.05), digits(after), ""]
    return grid(["application", "first / plain, drivers' caches off", "next / plain",
                 "hits", "first / plain, default caches", "next / plain", "hits"],
                [*lines, last])


PLACES = ("copy", "link", "container")


def moves(rows):
    """The applications that compiled nothing elsewhere, and a line for each other."""
    failed = [row["application"] for row in rows if row["problems"]]
    if failed:
        raise Failure(f"moves.json: of what failed: {', '.join(failed)}")

    def there(run):
        return "not run" if run is None else f"{run['compiled']}, {run['hits']}"

    def is_warm(row):
        return all(row[place] and not row[place]["compiled"] for place in PLACES)

    drivers = sorted({f"{row['driver']}, {row['machine']}" for row in rows})
    warm = [f"{row['version']} ({row['copy']['hits']})" for row in rows
            if is_warm(row)]
    lines = [[row["version"], row["here"]["compiled"],
              *(there(row[place]) for place in PLACES)]
             for row in rows if not is_warm(row)]
    stay = [f"{row['version']} is compiled in each place: {row['stays']}."
            for row in rows if row["stays"]]
    return [f"On {'; '.join(drivers)}. Compiled nothing in any of the three places "
            f"(hits): {', '.join(warm)}.",
            *(["", *grid(["application", "compiled here", "copy: compiled, hits",
                          "link", "container"], lines)] if lines else []),
            *([""] if stay else []), *stay]


REPLAY_SHOWN = ("large_add", "programs", "ready", "record_cold", "record_warm")


def replay(rows):
    def number(value, unit):
        return f"{value:.{1 if value < 10 else 0}f} {unit}"

    return grid(RATIO_HEADS, [
        [f"`{row['row']}`", row["what"], number(row["ours"], row["unit"]),
         number(row["reference"], row["unit"]),
         judged(f"{row['ratio']:.3g}", row["met"]),
         "" if row["target"] is None else f"{row['target']:.3g}"]
        for row in chosen(rows, REPLAY_SHOWN)], left=2)


def where(rows):
    """The line above a table of stores, and an empty one."""
    systems = sorted({row["file_system"] for row in rows})
    return [f"Measured on {', '.join(systems)}:", ""]


def costs(rows):
    return grid(["row", "ours", "reference", "ratio", "at most"], [
        [f"`{row['row']}`: {row['what']}",
         *("" if row[side] is None else duration(row[side])
           for side in ("ours", "reference")),
         ratio_of(row),
         "" if row["target"] is None else f"{row['target']:g}"]
        for row in rows])


STORES_SHOWN = ("get_bucket", "get_pack", "put_bucket", "put_pack", "many_pack",
                "open_bucket", "open_pack")


def stores(rows):
    return where(rows) + costs(chosen(rows, STORES_SHOWN))


def stores_scale(rows):
    """A line for each store with the fewest and the most entries, and for each
    number of entries with which a target is missed."""
    cells = {(r["store"], r["entries"], r["operation"], r["versus"]): r
             for r in rows}
    bases = {r["store"]: r["base"] for r in rows}
    shown = {of(r["entries"] for r in rows) for of in (min, max)}
    missed = {(r["store"], r["entries"]) for r in rows if not r["met"]}
    lines = []
    for store, entries in dict.fromkeys((r["store"], r["entries"])
                                        for r in rows):
        if entries not in shown and (store, entries) not in missed:
            continue
        line = [store, thousands(entries)]
        for operation in ("get", "put"):
            plain = cells.get((store, entries, operation, "plain"))
            base = cells.get((store, entries, operation, "base"))
            known = plain is not None and plain["ours"] is not None
            line += [duration(plain["ours"]) if known else "", ratio_of(plain),
                     "" if bases[store] == entries else ratio_of(base)]
        lines.append(line)
    of_one = ["/ plain file", "/ fewest entries"]
    return where(rows) + grid(
        ["store", "entries", "get", *of_one, "put", *of_one], lines)


def stores_copy(rows):
    """A line for each store, with ratios of each file system."""
    cells = {(r["store"], r["file_system"], r["operation"]): r for r in rows}
    systems = list(dict.fromkeys(r["file_system"] for r in rows))
    return grid(
        ["store", "files", *(f"{operation}, {system}"
                             for operation in ("put", "start")
                             for system in systems)],
        [[store, f"{cells[store, systems[0], 'files']['ours']:.0f}",
          *(digits(cells[store, system, operation]["ratio"])
            for operation in ("put", "start") for system in systems)]
         for store in dict.fromkeys(r["store"] for r in rows)])


DEATHS = {"before_compile": "before it compiles",
          "in_compile": "while it compiles",
          "before_put": "after that, before its put",
          "before_release": "after its put, before others are told"}


def killed(rows):
    """A line for each moment at which the host that leads is killed."""
    by_name = {row["operation"]: row for row in rows}
    lines = [[words, f"{by_name[f'killed_{name}_compiled']['ours']:.0f}",
              duration(by_name[f"killed_{name}"]["ours"]),
              ratio_of(by_name[f"killed_{name}"])]
             for name, words in DEATHS.items()]
    return grid(["killed", "compiled by the others", "last host ready",
                 "/ compiling once"], lines)


def over_plain(row):
    """From some number of hosts on."""
    return "" if row is None else ratio_of(row)


def processor_time(row):
    """What a program of a host takes, and a GET alone."""
    return "" if row is None else (
        f"{duration(row['ours'])} / {duration(row['reference'])}")


def fleet(rows):
    """Rows of one host; lines for the fewest, the middle and the most hosts and
    where a target is missed; and one for each moment at which one is killed."""
    of_killed = [row for row in rows
                 if (row.get("operation") or "").startswith("killed")]
    many = {(row["entries"], row["operation"]): row for row in rows
            if row.get("operation") and row not in of_killed}
    if not many or len(many) + len(of_killed) == len(rows):
        raise Failure("fleet.json: rows of one host or of many are missing")
    counts = sorted({hosts for hosts, _ in many})
    missed = {hosts for (hosts, name), row in many.items() if not row["met"]}
    shown = {counts[0], counts[len(counts) // 2], counts[-1], *missed}
    has_plain = any(name == "ready_over_plain" for _, name in many)
    lines = []
    for hosts in sorted(shown):
        compiled, ready, requests = (
            many[hosts, name] for name in ("compiled", "ready", "requests"))
        lines.append([
            thousands(hosts), f"{compiled['ours']:.0f}",
            duration(ready["ours"]), ratio_of(ready),
            *([over_plain(many.get((hosts, "ready_over_plain")))]
              if has_plain else []),
            thousands(round(requests["ours"])), ratio_of(requests),
            *([processor_time(many.get((hosts, f"cpu_of_{what}")))
               for what in ("hosts", "server")] if has_plain else [])])
    ready, requests = (many[counts[-1], name] for name in ("ready", "requests"))
    most = f" (at most {requests['target']:g})" if requests["target"] else ""
    return costs([row for row in rows if not row.get("operation")]) + [
        "", *grid(["hosts", "compiled", "last host ready",
                   f"/ compiling once (at most {ready['target']:g})",
                   *(["/ GETs alone (at most 1.3)"] if has_plain else []),
                   "commands", f"for each program of a host{most}",
                   *(["processor time of hosts / GET", "of the server / GET"]
                     if has_plain else [])],
                  lines, left=0),
        *(["", *killed(of_killed)] if of_killed else [])]


# ---- Python ----------------------------------------------------------------

def python(rows):
    row, = rows
    runs = row["runs"]
    none, later = runs["none"], runs["later"]
    kinds = ("process", "inside")
    lines = [[words, *(seconds(runs[mode][kind]["ms"]) for kind in kinds)]
             for mode, words in (("none", "without dnnl_cache"),
                                 ("first", "first start"),
                                 ("later", "every later start"))]
    lines += [["first start / later start",
               *(f"{later[kind]['faster']:.0f}" for kind in kinds)],
              ["without dnnl_cache / later start",
               *(f"{none[kind]['ms'] / later[kind]['ms']:.0f}"
                 for kind in kinds)]]
    return [*grid([None, "whole process", "build and launch"], lines), "",
            f"pocl-opencl-icd {row['version']}, pyopencl {row['pyopencl']} on an "
            f"{row['machine']}; medians of {row['rounds']} rounds."]


# ---- Models ----------------------------------------------------------------

# At most: ready warm / cold, start to first result likewise, first run / steady
# run, programs / driver floor.
MODEL_TARGETS = {"ready": 0.05, "result": 0.06, "first_run": 1.2, "load": 1.2}


# Small, usual, and of many layers.
MODELS_SHOWN = ("bvlc_alexnet", "squeezenet", "resnet50", "densenet121")


def models(rows, light):
    def ratios(row):
        for name, most in MODEL_TARGETS.items():
            value = row[name]
            yield judged(f"{value:.3f}" if value < 0.1 else f"{value:.2f}",
                         value <= most)

    shown = [row for row in rows + light if row["model"] in MODELS_SHOWN or any(
        row[name] > most for name, most in MODEL_TARGETS.items())]
    lines = [[row["model"], row["warm"]["primitives"],
              f"{row['cold']['programs_compiled']}, "
              f"{row['warm']['programs_compiled']}",
              f"{row['cold']['ready']:.0f} ms", f"{row['warm']['ready']:.0f} ms",
              *ratios(row)] for row in shown]
    heads = ["network", "primitives", "programs compiled cold, warm",
             "ready cold", "ready warm", "warm / cold ({})",
             "start to first result, warm / cold ({})",
             "first run / steady, warm ({})",
             "look-up and load / driver alone ({})"]
    heads[-4:] = [head.format(most) for head, most
                  in zip(heads[-4:], MODEL_TARGETS.values())]
    return [f"Medians of {rows[0]['rounds']} rounds, ratios within each, on "
            f"{' and '.join(sorted({r['device'] for r in shown}))}:", "",
            *grid(heads, lines), "",
            *(f"![Phases of a cold and a warm start of {row['model']}]"
              f"(../images/models_{row['model']}.svg)" for row in rows)]


WARM_STARTS = 3  # of each real model


def real_models(results):
    rows = results["rows"]
    lines = []
    for row in rows:
        lines.append([
            f"{row['name']}: {row['what']}", row["programs"],
            f"{row['cold_result']:.0f} ms", f"{row['warm_result']:.0f} ms",
            f"{row['warm_result'] / row['cold_result']:.3f}",
            f"{row['error']:.0e}"])
    return [f"{rows[0]['device']}, ONNX Runtime {results['onnxruntime']}; warm "
            f"starts are medians of {WARM_STARTS}:", "",
            *grid(["network", "programs", "first result cold", "warm",
                   "warm / cold", "largest error"], lines)]


# What a start is good for, and how the table says it: the first result, or in
# records of before that was measured, the network.
FIRST = {"result": ("first result", "from the start of the process to the first "
                    "result"),
         "ready": ("ready", "until the network can run")}
NVIDIA_WAYS = ("cold", "driver", "warm", "ptx")


def nvidia_models(rows):
    first = ("result" if all("result" in row[way]
                             for row in rows for way in NVIDIA_WAYS) else "ready")
    name, explained = FIRST[first]
    rounds = " or ".join(map(str, sorted({row["rounds"] for row in rows})))
    lines = []
    for row in chosen(rows, MODELS_SHOWN, "model"):
        times = [row["cold"]["compile"], row["driver"]["compile"],
                 row["warm"]["driver_load"], row["ptx"]["driver_load"],
                 *(row[way][first] for way in ("cold", "driver", "warm"))]
        runs = row["warm"]["steady_run"] / row["ptx"]["steady_run"]
        lines.append([row["model"], *map(tenths, times), f"{runs:.3f}"])
    ways = ["driver's cache", "our store"]
    return [f"Medians of {rounds} rounds on {rows[0]['device']}, in milliseconds: "
            "to get all programs (compiled by the driver with no cache, by the "
            "driver with its own cache, loaded from our blobs, and from our blobs "
            f"without finalised forms); {explained}; and a later run from machine "
            "code over one from PTX.", "",
            *grid(["network", "programs: no cache", *ways, "our store, PTX",
                   f"{name}: no cache", *ways, "later runs"], lines)]


def nvidia(of_layer, of_models):
    return layer(of_layer, explained=False) + ["", *nvidia_models(of_models)]


# ---- Tests of others -------------------------------------------------------

# What a reason is an example of, the first that matches.
ONNX_KINDS = (
    (r"operator \w+ is not known here", "operators that the loader has not"),
    (r"operators of ", "operators of other domains (training, ai.onnx.ml)"),
    (r"elements of type", "elements of text, bfloat16, float8, of 4 bits and "
                          "uint64"),
    (r"is no tensor", "sequences and optional values"),
    (r"is not computed here|no mean", "second outputs: masks, indices, "
                                      "deviations"),
    (r"only inference", "training"),
    (r"not constant", "shapes that follow from data"),
    (r"loops are not supported", "loops"),
    (r"antialias|coordinate_transformation_mode|align_corners",
     "Resize with what its row in the table of operators excludes"),
    (r"no elements|no input may|nothing to reduce|no tensor may",
     "tensors without elements"),
    (r"", "other limits of the table of operators"),
)


def kind_of(reason, kinds):
    return next(kind for pattern, kind in kinds if re.search(pattern, reason))


def onnx(results):
    passed, refused = results["passed"], results["refused"]
    disputed, failed = results["disputed"], results["failed"]
    if failed or not passed:
        raise Failure("onnx_nodes.json: tests that failed, or none passed")
    kinds = collections.Counter()
    for reason, names in refused.items():
        kinds[kind_of(reason, ONNX_KINDS)] += len(names)
    counts = [len(passed), sum(kinds.values()), len(disputed), len(failed)]
    lines = [f"ONNX {results['onnx']}, whose newest operator set is "
             f"{results['opset']}, on {results['device']}:", "",
             *grid(["tests", "passed", "refused", "disputed", "failed"],
                   [[sum(counts), *counts]], left=0), "",
             f"{len(results['bound'])} of those that passed feed operands that "
             "the loader needs as constants; they were constants. Refused, with "
             "a message that names the node:", "",
             *grid(["what", "tests"], sorted(
                 kinds.items(), key=lambda item: (-item[1], item[0])))]
    if disputed:
        lines += ["", "Disputed:", "", *(
            f"- `{name}`: {reason}" for name, reason in sorted(disputed.items()))]
    return lines


ONEDNN_LEAST = 40  # files
# What a refusal is for. The last group is what oneDNN has and this library has
# not built: there may be none.
ONEDNN_KINDS = (
    (r"no backward propagation", "backward propagation"),
    (r"no recurrent primitives", "recurrent primitives"),
    (r"no Winograd algorithm", "Winograd"),
    (r"both engines are dnnl_cpu", "reorders within a CPU engine"),
    (r"", "others"),
)


def onednn_kinds(run):
    kinds = collections.Counter()
    for result in run["files"].values():
        for reason, count in result["refusals"].items():
            kinds[kind_of(reason, ONEDNN_KINDS)] += count
    return kinds


def check_onednn(runs):
    if set(runs) != {"before", "after"}:
        raise Failure("onednn_suite.json: no runs before and after")
    files = runs["after"]["files"]
    if set(files) != set(runs["before"]["files"]) or len(files) < ONEDNN_LEAST:
        raise Failure("onednn_suite.json: not the same files, or too few")
    for name, result in files.items():
        if result["failures"] or not result["cases"]:
            raise Failure(f"onednn_suite.json: {name} failed, or has no cases")
    if onednn_kinds(runs["after"])["others"]:
        raise Failure("onednn_suite.json: refused for what is wanted")


def onednn(results):
    check_onednn(results["runs"])
    before, after = results["runs"]["before"], results["runs"]["after"]
    cases = [{name: collections.Counter(result["cases"])
              for name, result in run["files"].items()} for run in (before, after)]
    whole = [sum(of.values(), collections.Counter()) for of in cases]
    lines = [[name, sum(new.values()), old["passed"] + old["wider"],
              new["passed"] + new["wider"], new["wider"], old["refused"],
              new["refused"], new["skipped"], new["differs"]]
             for name, old, new in [
                 *((f"`{name}`", cases[0][name], new)
                   for name, new in cases[1].items()), ("all", *whole)]]
    old, new = onednn_kinds(before), onednn_kinds(after)
    failed = sum(len(r["failures"]) for r in before["files"].values())
    return [f"oneDNN {results['onednn']}'s files on {after['device']}, at "
            f"{before['commit']} (\"before\") and {after['commit']} "
            f"(\"now\"); {whole[1]['failed']} cases fail, {failed} did:", "",
            *grid(["file", "cases", "ran before", "ran now", "of them wider",
                   "refused before", "refused now", "skipped", "differs"], lines),
            "", *grid(["refused for", "before", "now"], [
                [kind, old[kind], new[kind]] for _, kind in ONEDNN_KINDS
                if old[kind] or new[kind]])]


# ---- Drivers and loaders -------------------------------------------------------

DRIVER_NAMES = {"Portable Computing Language": "PoCL",
                "Intel(R) OpenCL": "Intel's CPU runtime"}


def commit_cell(commit):
    """Twelve digits of it, and whether its sources had been changed."""
    return f"`{commit[:12]}{'-dirty' * commit.endswith('-dirty')}`"


def drivers(rows, *measured):
    """Runs of tests, and of each GPU the last benchmarks: no tests ran there."""
    lines = [[f"{DRIVER_NAMES.get(row['platform'], row['platform'])} "
              f"{row['driver']}", row["device"], row["system"],
              commit_cell(row["commit"]), row["date"], row["tier"],
              row["passed"], row["failed"], row["skipped"]] for row in rows]
    for last in {row["device"]: row for rows in measured
                 for row in rows}.values():
        name, _, version = last["device"].rpartition(", driver ")
        lines.append([f"{last['platform'].split(',')[0]} {version}", name, "",
                      f"`{last['git'][:12]}`", "", "benchmarks", "", "", ""])
    failures = [f"`{name}` ({DRIVER_NAMES.get(row['platform'], row['platform'])} "
                f"{row['driver']})" for row in rows for name in row["failures"]]
    return grid(["driver", "device", "system", "commit", "date", "tests", "passed",
                 "failed", "skipped"], lines, left=6) + (
        ["", f"Failed: {', '.join(failures)}."] if failures else [])


LOADER_NAMES = {"system": "Debian's ocl-icd", "pyopencl": "in PyPI's `pyopencl`",
                "nvidia-cuda-opencl": "in PyPI's `nvidia-cuda-opencl`",
                "intel-opencl-rt": "in PyPI's `intel-opencl-rt`"}


def loaders(rows):
    def name_of(row):
        return LOADER_NAMES.get(row["loader"], "Khronos'")

    return grid(
        ["loader", "version", "takes the layer in by", "`OPENCL_LAYERS`",
         "`dnnl-cache-run`", "unloaded, loaded again", "commit"],
        [[name_of(row), row["version"],
          f"`{row['entry']}`" if row["entry"] else "not at all", row["variable"],
          row["run"] if row["run"] == "works" else "says that it is ignored",
          row["reloaded"] or "", f"`{row['commit'][:12]}`"] for row in rows],
        left=7)


# ---- The subjects ----------------------------------------------------------

class Subject(typing.NamedTuple):
    """A table between the markers of this name in a document."""

    document: str
    table: typing.Callable  # its lines, of what is in the sources
    # {bench/results/NAME.json or a path: keys that each row has}; without keys
    # the file is no list of rows.
    sources: dict
    measured: str           # by what


ROW = ("row", "what", "target", "ratio", "met")
TIMED = (*ROW, "ours", "reference")
BENCH = (*ROW, "platform", "device")
LAYER = (*TIMED, "platform", "device")
STORE = (*TIMED, "file_system")
FIRST_START = (*TIMED, "application", "caches", "platform", "next", "next_ratio",
               "next_hits", "next_misses", "samples")
MODEL = ("model", "device", "cold", "warm")
MODELS = (*MODEL, "rounds", *MODEL_TARGETS)
NVIDIA = ("model", "device", "platform", "rounds", "programs", *NVIDIA_WAYS)
DRIVER = ("platform", "device", "driver", "system", "commit", "date", "tier",
          "passed", "failed", "skipped", "failures")
LOADER = ("loader", "version", "commit", "driver", "variable", "run", "entry",
          "reloaded")

SUBJECTS = {
    "starts": Subject(
        "README.md", starts,
        {"first_start": FIRST_START,
         "ahead": (*TIMED, "application", "platform"),
         "starts": ("application", "platform", "load", "none", "warm", "first",
                    "first_ratio", "later"),
         "nvidia_models": NVIDIA},
        "bench/first_start.py; bench/ahead_start.py; bench/starts.py --apps all; "
        "--measure nvidia"),
    "peers": Subject(
        "README.md", peers,
        {"peers": ("driver", "version", "machine", "application", "rounds",
                   "runs")},
        "--measure peers"),
    "bench": Subject(
        "docs/reference/numbers.md", bench, dict.fromkeys(BENCHES, BENCH),
        "dnnl_cache_bench --json bench/results/NAME.json; --measure nvidia"),
    "drivers": Subject(
        "docs/reference/platforms.md", drivers,
        {"drivers": DRIVER, "nvidia": ("platform", "device", "git"),
         "nvidia_layer": ("platform", "device", "git")},
        "scripts/test.sh, then --measure drivers FOLDER/records/*.json"),
    "loaders": Subject(
        "docs/reference/platforms.md", loaders, {"loaders": LOADER},
        "scripts/loaders.py --json FILE, then --measure loaders FILE"),
    "stores_scale": Subject(
        "docs/reference/numbers.md", stores_scale,
        {"stores_scale": (*STORE, "store", "operation", "versus", "entries",
                          "base")},
        "dnnl_cache_store_bench --scale --json FILE"),
    "nvidia": Subject(
        "docs/reference/numbers.md", nvidia,
        {"nvidia_layer": LAYER, "nvidia_models": NVIDIA}, "--measure nvidia"),
    "stores": Subject(
        "docs/reference/numbers.md", stores, {"stores": STORE},
        "dnnl_cache_store_bench --json FILE"),
    "stores_copy": Subject(
        "docs/reference/numbers.md", stores_copy,
        {"stores_copy": (*STORE, "store", "operation", "entries")},
        "dnnl_cache_store_bench --copy STORE --json FILE, several file systems "
        "one after the other in one list"),
    "fleet": Subject(
        "docs/reference/numbers.md", fleet, {"fleet": (*TIMED, "compile")},
        "dnnl_cache_fleet_bench --json FILE"),
    "layer": Subject(
        "docs/reference/applications.md", layer, {"layer": LAYER},
        "dnnl_cache_layer_bench --json FILE"),
    "first_start": Subject(
        "docs/reference/applications.md", first_start,
        {"first_start": FIRST_START},
        "bench/first_start.py --rounds N --json FILE, of each application"),
    "moves": Subject(
        "docs/reference/applications.md", moves,
        {"tests/apps/moves.json": ("application", "version", "driver", "machine",
                                   "moved", "stays", "here", "copy", "link",
                                   "container", "problems")},
        "tests/apps/move.py --apps all --json tests/apps/moves.json"),
    "replay": Subject(
        "docs/reference/applications.md", replay, {"replay": (*TIMED, "unit")},
        "--measure replay"),
    "python": Subject(
        "docs/start/python.md", python,
        {"python": ("driver", "version", "machine", "pyopencl", "rounds",
                    "runs")},
        "--measure python"),
    "models": Subject(
        "docs/reference/numbers.md", models, {"models": MODELS, "models_light": MODELS},
        "--measure models; --measure models --light FOLDER"),
    "real_models": Subject(
        "docs/reference/numbers.md", real_models, {"real_models": None},
        "--measure real_models WHEELS"),
    "onnx": Subject(
        "tests/onnx_backend/README.md", onnx, {"onnx_nodes": None},
        "tests/onnx_backend/run.py --json FILE"),
    "onednn": Subject(
        "tests/onednn_suite/README.md", onednn, {"onednn_suite": None},
        "tests/onednn_suite/run.py --json FILE, twice: before and after"),
}
