"""The command `revealed`: what `pip install` puts on the path, and `python -m revealed`. It is the program of `crates/cli`."""

from __future__ import annotations

import os
import signal
import sys


def main() -> int:
    """Runs the command line that Python was started with, and returns the exit code."""
    from ._native import command

    # Python would only remember Ctrl-C until the command has ended. What the caller chose to ignore stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # `learn --engine` starts a Python with this package: this one.
    os.environ.setdefault("REVEALED_PYTHON", sys.executable)
    return command(["revealed", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
