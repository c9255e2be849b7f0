# SPDX-License-Identifier: Apache-2.0
"""Recorded results, and the tables between markers that documents have of them.

What readme_table.py and the scripts named *_results.py share.
"""
import argparse
import json
import pathlib
import sys


# Files of bench/results that are not lists of rows with ratios.
OTHER_FORMS = ("first_start", "model_caches", "models", "models_light",
               "nvidia_models", "onednn_suite", "onnx_nodes", "peers", "python",
               "real_models")


class Failure(Exception):
    """Something a person has to see to; its text says what."""


def read_rows(path, keys):
    """The rows of a file of results, each of which has the keys."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Failure(f"{path}: {error}") from error
    if not isinstance(rows, list) or not rows:
        raise Failure(f"{path}: not a list of rows")
    for row in rows:
        missing = [key for key in keys if key not in row]
        if missing:
            raise Failure(f"{path}: a row without {', '.join(missing)}")
    return rows


def with_table(text, markers, table, path):
    """A document's text with the table between the markers; messages name it
    by its path."""
    begin, end = markers
    if text.count(begin) != 1 or text.count(end) != 1:
        raise Failure(f"{path} needs one line {begin} and one {end}")
    head, rest = text.split(begin)
    if end not in rest:
        raise Failure(f"{path}: its markers are in the wrong order")
    return f"{head}{begin}\n{table}\n{end}{rest.split(end)[1]}"


def put(path, text, check, script):
    """Writes a file; with check, sees that it says this already."""
    old = path.read_text(encoding="utf-8") if path.exists() else None
    if old == text:
        return
    if check:
        raise Failure(f"{path} does not say what was measured: run {script}")
    path.write_text(text, encoding="utf-8")


def put_table(path, markers, table, check, script):
    """Puts a table between the markers of a document, likewise."""
    put(path, with_table(path.read_text(encoding="utf-8"), markers, table, path),
        check, script)


def run_main(main):
    """Ends a script with what its main function gives, or with 1 and a message
    if something that it reads or measures is not as it should be."""
    try:
        sys.exit(main() or 0)
    except (Failure, OSError, KeyError, ValueError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else error
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {what}")


def write_documents(script, description, documents):
    """The main function of a script.

    documents(docs, results), of two folders, gives {path: what it has to say}.
    """
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true",
                        help="write nothing; fail if a document says other "
                             "things than the results")
    parser.add_argument("--docs", type=pathlib.Path, default=root / "docs")
    parser.add_argument("--results", type=pathlib.Path,
                        default=root / "bench" / "results")
    options = parser.parse_args()
    for path, new in documents(options.docs, options.results).items():
        put(path, new, options.check, f"scripts/{script}")
    return 0


def table_options(description, document, **sources):
    """The options of a script that writes one table: --check, --document, and one
    for each file or folder that the table is made of, with its default."""
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--check", action="store_true",
                        help="write nothing; fail if the document says "
                             "something else")
    parser.add_argument("--document", type=pathlib.Path,
                        default=root / document)
    for name, path in sources.items():
        parser.add_argument(f"--{name}", type=pathlib.Path, default=root / path)
    return parser.parse_args()
