"""Prints verdicts and numbers as Markdown: revealed reproduce NAME... --json | python3 benchmarks/reproduce_record.py."""

import json
import math
import sys


def shown(value):
    """A number to four significant digits."""
    if value is None or value == 0 or not math.isfinite(value):
        return "" if value is None else f"{value:g}"
    return f"{value:.{max(0, 3 - math.floor(math.log10(abs(value))))}f}" if abs(value) >= 1e-4 else f"{value:.3e}"


def main():
    for experiment in json.load(sys.stdin)["experiments"]:
        print(f"## {experiment['name']}: {experiment['verdict']}\n\n{experiment['reason']}\n")
        if experiment["numbers"]:
            print("| number | paper | ours | half of the 90 % interval |\n|---|---|---|---|")
        for number in experiment["numbers"]:
            cells = [number["name"], *(shown(number.get(key)) for key in ("paper", "ours", "half_width"))]
            print("| " + " | ".join(cells) + " |")
        print()


if __name__ == "__main__":
    main()
