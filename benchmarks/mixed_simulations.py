"""Plants distributions of a coefficient, learns them again with mixed_logit, and counts how often 95 % intervals cover.

Prints a Markdown table. It needs the package revealed: `pip install .` in the root of the repository.

    benchmarks/mixed_simulations.py normal                             each driver has draws of its own
    benchmarks/mixed_simulations.py normal --common-draws --draws 500  all drivers have the same draws
    benchmarks/mixed_simulations.py lognormal
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import revealed

# The location and the spread of the coefficient of the length, and the coefficient of the link. Coefficients at which
# loops hardly cost anything have to be rare: such a driver makes trips of hundreds of streets, and weighs more than all
# others together.
PLANTED = {"normal": (-2.2, 0.6, -0.8), "lognormal": (0.8, 0.3, -0.8)}


class Streets:
    """Directed streets between the crossings of a square grid, without U-turns; features length and link."""

    def __init__(self, side: int, rng: np.random.Generator) -> None:
        ends = [(a, b) for a in range(side**2) for b in range(side**2) if neighbours(a, b, side)]
        steps = [(i, j) for i, one in enumerate(ends) for j, two in enumerate(ends) if one[1] == two[0] and one[0] != two[1]]
        self.n = len(ends)
        self.length = rng.uniform(0.5, 1.5, self.n)
        self.next = [[j for i, j in steps if i == street] for street in range(self.n)]
        rows = [(i, self.next[i].index(j), j, 1.0) for i, j in steps]
        features = revealed.Features(state=np.column_stack([self.length, np.ones(self.n)]), names=["length", "link"])
        self.mdp = revealed.Mdp(self.n, 4, transitions=tuple(zip(*rows)), start=np.full(self.n, 1.0 / self.n), features=features)

    def trips(self, theta: tuple[float, float], pairs: Any, rng: np.random.Generator) -> list[Any] | None:
        """Drawn from the recursive logit by a dense inverse; None if loops cost too little for a finite sum."""
        weight = np.zeros((self.n, self.n))
        for street, following in enumerate(self.next):
            weight[street, following] = np.exp(theta[0] * self.length[following] + theta[1])
        if np.abs(np.linalg.eigvals(weight)).max() >= 1.0:
            return None
        sums = np.linalg.inv(np.eye(self.n) - weight)
        return [self.trip(first, last, weight, sums[:, last], rng) for first, last in pairs]

    def trip(self, first: int, last: int, weight: Any, ahead: Any, rng: np.random.Generator) -> Any:
        states, actions = [first], []
        while True:
            here = states[-1]
            following = self.next[here]
            chances = np.append(weight[here, following] * ahead[following], float(here == last))
            chosen = rng.choice(len(chances), p=chances / chances.sum())
            if chosen == len(following):
                return states, actions
            actions.append(int(chosen))
            states.append(following[chosen])


def neighbours(a: int, b: int, side: int) -> bool:
    return abs(a // side - b // side) + abs(a % side - b % side) == 1


def drawn(kind: str, streets: Streets, drivers: int, each: int, rng: np.random.Generator) -> list[Any]:
    location, spread, link = PLANTED[kind]
    paths: list[Any] = []
    while len(paths) < drivers * each:
        value = location + spread * rng.standard_normal()
        theta = (value if kind == "normal" else -np.exp(value), link)
        firsts, lasts = rng.integers(0, streets.n // 3, each), rng.integers(2 * streets.n // 3, streets.n, each)
        paths += streets.trips(theta, list(zip(firsts.tolist(), lasts.tolist())), rng) or []
    return paths


def simulated(args: argparse.Namespace, number: int) -> revealed.MixedFit:
    """One simulation. The network is the same in all of them."""
    streets = Streets(4, np.random.default_rng(args.seed))
    paths = drawn(args.kind, streets, args.drivers, args.trips, np.random.default_rng([args.seed, number]))
    labels = np.repeat(np.arange(args.drivers), args.trips)
    coefficient: dict[str, Any] = {"random" if args.kind == "normal" else "negative": "length"}
    draws = {"draws": args.draws, "common_draws": args.common_draws}
    return revealed.mixed_logit(streets.mdp, paths, panel=labels, threads=1, **draws, **coefficient)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=list(PLANTED))
    parser.add_argument("--simulations", type=int, default=50)
    parser.add_argument("--drivers", type=int, default=40)
    parser.add_argument("--trips", type=int, default=12)
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--common-draws", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="processes; the result does not depend on it")
    args = parser.parse_args()
    location, spread, link = PLANTED[args.kind]
    planted = np.array([location, link, spread])
    with ProcessPoolExecutor(args.jobs) as pool:
        fits = list(pool.map(partial(simulated, args), range(args.simulations)))
    estimates = np.array([fit.parameters for fit in fits])
    errors = np.array([fit.standard_errors for fit in fits])
    robust = np.array([fit.robust_standard_errors for fit in fits])
    whose = "the same for all" if args.common_draws else "for each driver"
    print(f"{args.kind}, {args.simulations} simulations, {args.drivers} drivers with {args.trips} trips each,")
    print(f"{args.draws} draws {whose}, seed {args.seed}\n")
    print("| parameter | planted | mean estimate | sd of estimates | mean std. err. | intervals that cover | robust ones |")
    print("|---|---|---|---|---|---|---|")
    for k, name in enumerate(fits[0].names):
        off = np.abs(estimates[:, k] - planted[k])
        covers = [int((off <= 1.959963984540054 * kind[:, k]).sum()) for kind in (errors, robust)]
        numbers = planted[k], estimates[:, k].mean(), estimates[:, k].std(ddof=1), np.nanmean(errors[:, k])
        print(f"| {name} | {' | '.join(f'{number:.3f}' for number in numbers)} | {covers[0]} | {covers[1]} |")
    converged = sum(fit.converged for fit in fits)
    print(f"\n{converged} of {len(fits)} converged; {sum(np.isnan(errors).any(axis=1))} had a spread at its bound.")


if __name__ == "__main__":
    main()
