#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Has the C++ interface all that the C interface has?

usage: check_interface.py TYPES WRAPPER OBJECT LIBRARY [NM]

TYPES is the folder of the C headers, WRAPPER dnnl_cache.hpp, whose topics are in the
folder dnnl_cache beside it: every enumerator of the enumerations that C++ has
with a scope must be there. OBJECT is WRAPPER compiled
with all of its inline functions: it must call every function that LIBRARY has
under a name of oneDNN's, or that function's second version. Exits with 1 and says what is missing.
"""
import pathlib
import re
import subprocess
import sys

# Enumerations of C, and what their names lack in C++ besides dnnl_.
SCOPED = {
    "dnnl_status_t": "",
    "dnnl_data_type_t": "data_type_",
    "dnnl_format_kind_t": "format_kind_",
    "dnnl_prop_kind_t": "prop_kind_",
    "dnnl_primitive_kind_t": "",
    "dnnl_alg_kind_t": "alg_kind_",
    "dnnl_query_t": "query_",
    "dnnl_engine_kind_t": "",
    "dnnl_stream_flags_t": "stream_",
    "dnnl_normalization_flags_t": "normalization_flags_",
    "dnnl_fpmath_mode_t": "fpmath_mode_",
    "dnnl_accumulation_mode_t": "accumulation_mode_",
    "dnnl_scratchpad_mode_t": "scratchpad_mode_",
    "dnnl_rounding_mode_t": "rounding_mode_",
    "dnnl_quantization_mode_t": "quantization_mode_",
    "dnnl_rnn_flags_t": "rnn_flags_",
    "dnnl_rnn_direction_t": "rnn_direction_",
    "dnnl_sparse_encoding_t": "sparse_encoding_",
    "dnnl_profiling_data_kind_t": "profiling_data_kind_",
}
RENAMED = {"dnnl_undefined_primitive": "undef", "dnnl_any_engine": "any",
           "dnnl_format_kind_opaque": "opaque",
           "dnnl_format_kind_sparse": "sparse",
           "dnnl_format_kind_host_scalar": "host_scalar"}
# What limits an enumeration of C is not in C++, as in oneDNN.
LIMIT = re.compile(r"dnnl_\w+_max = 0x7fff$")
# Texts of enumerators are C's, and so are two other calls.
NOT_WRAPPED = re.compile(
    r"dnnlc_(\w+2str|impl_\w+|primitive_desc_query_s32)$")


def enumerators(types, name):
    """The enumerators of one enumeration."""
    body = re.search(r"typedef enum \{([^}]*)\} " + name + ";", types).group(1)
    body = re.sub(r"/\*.*?\*/|^#.*?$", "", body, flags=re.DOTALL | re.MULTILINE)
    return [part.split("=")[0].strip() for part in body.split(",")
            if part.strip() and not LIMIT.match(part.strip())]


def missing_enumerators(types, wrapper):
    """Those without a line `name = ::dnnl_name` in the C++ header."""
    lines = set(re.findall(r"\b(\w+) = ::(\w+)\b", wrapper))
    for enumeration, prefix in SCOPED.items():
        for c_name in enumerators(types, enumeration):
            name = c_name.removeprefix("dnnl_").removeprefix(prefix)
            if (RENAMED.get(c_name, name), c_name) not in lines:
                yield f"{c_name} has no enumerator in C++"


def symbols(nm, *arguments):
    """Names of oneDNN's functions among the symbols of a file."""
    output = subprocess.run([nm, *arguments], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    return set(re.findall(r"\b(dnnlc_\w+)$", output, flags=re.MULTILINE))


def main():
    types_path, wrapper_path, compiled, library = sys.argv[1:5]
    nm = sys.argv[5] if len(sys.argv) > 5 else "nm"
    types = "".join(path.read_text(encoding="utf-8")
                    for path in pathlib.Path(types_path).rglob("*.h"))
    topics = pathlib.Path(wrapper_path).with_suffix("").rglob("*.hpp")
    wrapper = "".join(path.read_text(encoding="utf-8") for path in topics)
    missing = list(missing_enumerators(types, wrapper))
    dynamic = ["-D"] if ".so" in library else []
    exported = symbols(nm, *dynamic, "-g", "--defined-only", library)
    called = symbols(nm, "-u", compiled)
    missing += [f"{name} is called by nothing in C++"
                for name in sorted(exported - called)
                if not NOT_WRAPPED.match(name)
                and not called & {name + "_v2", name + "_v3",
                                  name.removesuffix("_v2") + "_v3"}]
    for line in missing:
        print(line)
    if not exported:
        print(f"{library} has no function of oneDNN's names")
    return 1 if missing or not exported else 0


if __name__ == "__main__":
    sys.exit(main())
