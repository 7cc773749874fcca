"""A complete fit on FrozenLake from 50 demonstrations, compared with other Python packages.

    python benchmarks/python_peers.py [--rounds 3] [--iterations 1000] [--seconds 30]

Every package starts from the Gymnasium environment and lists of (state, action) pairs, and returns a reward for each
state. The packages have different models, so each is measured by the gap in its own model: the largest difference
between the observed and the expected visits of a state. A package stops when its gap is at most GAP, when it reports
that it is done, or at its time limit. Prints Markdown.
"""

import argparse
import statistics
import time
import warnings

import gymnasium
import numpy as np
import peer_fits  # first: it sets the number of threads
import revealed
from irl_maxent import maxent
from least_gap import least_gap
from peer_fits import GAP, Case

ROWS = {
    "revealed": ("MaxEnt, exact", peer_fits.exact),
    "revealed, causal": ("causal entropy", peer_fits.causal),
    "imitation 1.0.1": ("causal entropy", lambda case: peer_fits.imitation(case, 0.01)),
    "imitation 1.0.1, faster": ("causal entropy", lambda case: peer_fits.imitation(case, 0.03)),
    "irl-maxent 0.1.0, irl": ("MaxEnt of 2008", lambda case: peer_fits.irl_maxent(case, maxent.irl)),
    "irl-maxent 0.1.0, irl_causal": ("causal entropy", lambda case: peer_fits.irl_maxent(case, maxent.irl_causal, 0.99)),
    "econirl 0.1.1, MCEIRL": ("causal entropy", peer_fits.econ),
}


def demonstrations(env, temperature, n=50):
    """Episodes of a Boltzmann policy in the environment. An optimal policy has no finite theta in the causal model."""
    goal = revealed.Mdp.from_gymnasium(env)
    true_reward = np.zeros(goal.n_states)
    true_reward[-1] = 1.0
    policy = goal.plan(true_reward, discount=0.99, paid="on-arrival", temperature=temperature).policy
    rng, paths = np.random.default_rng(0), []
    for episode in range(n):
        state, _ = env.reset(seed=episode)
        path, over = [], False
        while not over:
            action = int(rng.choice(len(policy[state]), p=policy[state]))
            path.append((int(state), action))
            state, _, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
        paths.append([*path, (int(state), None)])
    return paths


def measured(case, rounds):
    """For each row, the seconds of each round, and the last fit or the reason for its failure."""
    seconds, found = {name: [] for name in ROWS}, {}
    for _ in range(rounds):
        for name, (_, fit) in ROWS.items():
            if isinstance(found.get(name), str):
                continue
            # Quick fits are repeated, so that their median is meaningful.
            repeats = 10
            while repeats > 0:
                begun = time.perf_counter()
                found[name] = attempted(fit, case)
                took = time.perf_counter() - begun
                seconds[name].append(getattr(found[name], "seconds", None) or took)
                repeats -= 1 if took < 0.1 else 10
    return seconds, found


def attempted(fit, case):
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return fit(case)
    except Exception as error:  # a failure is reported in the row
        return f"fails: {type(error).__name__}: {str(error).splitlines()[0]}"


def table(case, rounds):
    seconds, found = measured(case, rounds)
    likelihood = revealed.LogLikelihood(case.mdp, case.paths)
    ours = statistics.median(seconds["revealed"])
    lines = ["| package | model | time | times revealed's | largest gap | exact log-likelihood | |", "|" + "---|" * 7]
    for name, (model, _) in ROWS.items():
        fit, took = found[name], statistics.median(seconds[name])
        if isinstance(fit, str):
            lines.append(f"| {name} | {model} | – | – | – | – | {fit} |")
            continue
        score = None if fit.theta is None else likelihood(fit.theta)
        gap = float(np.abs(likelihood.gradient(fit.theta)).max()) if name == "revealed" else fit.gap
        cells = [f"{1e3 * took:.1f} ms" if took < 1 else f"{took:.1f} s", f"{took / ours:.0f}×", f"{gap:.1e}"]
        cells.append("–" if score is None else f"{score:.2f}" if score > -1e4 else f"{score:.1e}")
        lines.append(f"| {name} | {model} | {' | '.join(cells)} | {fit.note} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=1000, help="most gradients of imitation (default 1000, as in imitation)")
    parser.add_argument("--seconds", type=float, default=30.0, help="time limit of irl-maxent, which may not end (default 30)")
    arguments = parser.parse_args()
    for slippery, temperature in [(True, 0.02), (False, 0.1)]:
        env = gymnasium.make("FrozenLake-v1", is_slippery=slippery)
        case = Case(env, demonstrations(env, temperature), arguments.iterations, arguments.seconds)
        print(f"### FrozenLake 4x4, {'slippery' if slippery else 'not slippery'}: a fit from 50 demonstrations\n")
        print(table(case, arguments.rounds), flush=True)
        mean, floor = statistics.mean(len(path) for path in case.paths), least_gap(*case.dense()[::2], case.visits())
        print(f"\nEpisodes of a Boltzmann policy (temperature {temperature}), {mean:.1f} states on average, {case.longest} at most.", end=" ")
        print(f"The smallest gap of any policy in imitation's model is {floor:.1e} (a linear programme).\n")
    print(
        f"Medians of {arguments.rounds} alternating rounds, from the environment and lists of pairs to the rewards. The target is a gap of {GAP:g} "
        "visits (imitation's own limit) in each package's own model; if a package does not reach it, its time is until the larger gap in its row. "
        "A causal reward cannot explain chance outcomes in the demonstrations; MaxEnt can, because it also tilts outcomes. The exact log-likelihood "
        "(mean, ends anywhere) is that of the package's rewards in revealed's model."
    )


if __name__ == "__main__":
    main()
