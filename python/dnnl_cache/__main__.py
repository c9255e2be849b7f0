# SPDX-License-Identifier: Apache-2.0
"""``python -m dnnl_cache``: the tool dnnl-cache."""
from __future__ import annotations

import os
import sys


def main() -> None:
    """Takes this process over with the tool."""
    from . import _layer
    try:
        os.execve(
            _layer.tool_path(), ["dnnl-cache", *sys.argv[1:]],
            _layer.tool_environment())
    except OSError as error:
        print(f"dnnl-cache: {_layer.tool_path()}: {error.strerror}",
              file=sys.stderr)
        sys.exit(125)


if __name__ == "__main__":
    main()
