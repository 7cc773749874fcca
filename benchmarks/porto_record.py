"""Prints the record of `revealed reproduce porto` as Markdown: python3 benchmarks/porto_record.py FOLDER.

FOLDER is the folder of results, with porto.csv and porto.timings.csv.
"""

import csv
import math
import sys
from pathlib import Path

TITLES = {
    "routes with U-turns": "Routes that were held out, network with U-turns",
    "routes": "Routes that were held out, network without U-turns",
    "study": "The study of readings (seed 1)",
    "networks": "Networks (seed 1)",
    "models": "Models, network without U-turns",
    "theta": "Weights (for each metre)",
    "destinations": "Destinations",
    "paths": "Paths",
    "trips": "Trips, network without U-turns",
}

# The quantities of the record; porto.csv has all of them.
OF_ROUTES = [
    *("distance match", "mean distance match", "covered", "mean covered"),
    *("feature distance", "mean feature distance", "identical"),
]
KEPT = {
    "routes with U-turns": OF_ROUTES,
    "routes": OF_ROUTES,
    "destinations": [
        *("error of the place", "mean error of the place", "rank", "true km²", "exponent of the prior"),
        *("exponent of the route", "exponent of the length", "rate of the length", "mean length", "straight on"),
    ],
}
OF_STUDY = [
    *("model, distance match", "shortest path, distance match", "mean model minus shortest path, distance match"),
    *("model, feature distance", "shortest path, feature distance", "log-likelihood", "km expected", "km driven"),
]


def shown(text):
    """A number to four significant digits, as the report shows it."""
    if text == "":
        return ""
    value = float(text)
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    return f"{value:.{max(0, 3 - math.floor(math.log10(abs(value))))}f}"


def cell(row):
    if row is None:
        return ""
    interval = f" ({shown(row['low'])} – {shown(row['high'])})" if row["low"] else ""
    return shown(row["value"]) + interval


def markdown(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def main(folder):
    with open(folder / "porto.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    with open(folder / "porto.timings.csv", newline="") as file:
        for row, timing in zip(rows, csv.DictReader(file), strict=True):
            row["seconds"] = timing["seconds"]
    seeds = sorted({row["seed"] for row in rows}, key=int)
    for table, title in TITLES.items():
        some = [row for row in rows if row["table"] == table]
        if not some:
            continue
        print(f"## {title}\n")
        if table in KEPT:
            some = [row for row in some if row["quantity"] in KEPT[table]]
        if table == "theta":
            # The weights of each reading of the study are in porto.csv.
            some = [row for row in some if ";" not in row["row"]]
        found = {(row["row"], row["quantity"], row["seed"]): row for row in some}
        names = list(dict.fromkeys((row["row"], row["quantity"]) for row in some))
        with_seeds = [seed for seed in seeds if any(key[2] == seed for key in found)]
        if table == "study":
            # Seed 1 alone has the study; the others have the central reading.
            readings = list(dict.fromkeys(name for name, _ in names if (name, "log-likelihood", with_seeds[0]) in found))
            cells = [[name, *(cell(found.get((name, one, with_seeds[0]))) for one in OF_STUDY)] for name in readings]
            markdown(["", *OF_STUDY], cells)
            continue
        header = ["", "quantity", *(f"seed {seed}" for seed in with_seeds)]
        markdown(header, [[*name, *(cell(found.get((*name, seed))) for seed in with_seeds)] for name in names])
    print("## Seconds\n")
    times = [row for row in rows if row["table"] in ("stages", "times") and row["seconds"] and ";" not in row["row"]]
    found = {(row["row"], row["seed"]): row["seconds"] for row in times}
    names = list(dict.fromkeys(row["row"] for row in times))
    markdown(["", *(f"seed {seed}" for seed in seeds)], [[name, *(shown(found.get((name, seed), "")) for seed in seeds)] for name in names])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
