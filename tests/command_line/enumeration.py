"""The definition itself at 50 digits: every path, its weight, and sums over them. For tiny problems only."""

from mpmath import mp, mpf

mp.dps = 50


class Paths:
    """Every path of a problem with its log q (without p0), its discounted features and its reward."""

    def __init__(self, problem, theta, horizon):
        self.problem, self.horizon = problem, horizon
        self.theta = [mpf(value) for value in theta]
        self.discount = mpf(problem["discount"])
        self.p0 = {state: mpf(p) for state, p in zip(problem["start"]["state"], problem["start"]["p"])}
        self.pi0 = None
        if reference := problem.get("reference"):
            self.pi0 = {(s, a): mpf(p) for s, a, p in zip(reference["state"], reference["action"], reference["p"])}
        blocks = problem["features"]
        self.phi_s = by_place(blocks.get("state"), ("state",))
        self.phi_sa = by_place(blocks.get("state_action"), ("state", "action"))
        self.phi_row = by_place(blocks.get("transition"), ("transition",))

    def rows_from(self, state):
        columns = self.problem["transitions"]
        if state not in self.problem["terminal"]:
            for row, (start, action, to, p) in enumerate(zip(*(columns[name] for name in ("from", "action", "to", "p")))):
                if start == state:
                    yield row, action, to, mpf(p)

    def starting_in(self, state):
        yield from self.extend([state], [], mpf(0), self.add([mpf(0)] * len(self.theta), 0, self.phi_s.get((state,))))

    def extend(self, states, actions, log_q, phi):
        yield states, actions, log_q, phi
        if len(states) == self.horizon:
            return
        state, t = states[-1], len(actions)
        for row, action, to, p in self.rows_from(state):
            q = p * (1 if self.pi0 is None else self.pi0[state, action])
            if q == 0:
                continue
            after = self.add(phi, t, self.phi_sa.get((state, action)))
            after = self.add(after, t, self.phi_row.get((row,)))
            after = self.add(after, t + 1, self.phi_s.get((to,)))
            yield from self.extend([*states, to], [*actions, action], log_q + mp.log(q), after)

    def add(self, phi, t, entries):
        phi = list(phi)
        for feature, value in entries or ():
            phi[feature] += self.discount**t * value
        return phi

    def reward(self, phi):
        return mp.fdot(self.theta, phi)

    def ends_well(self, states, ends, goal):
        terminal = states[-1] in self.problem["terminal"]
        return {
            "anywhere": True,
            "horizon": terminal or len(states) == self.horizon,
            "terminal": terminal,
            "goal": states[-1] == goal,
        }[ends]


def by_place(block, columns):
    entries = {}
    if block:
        for *place, feature, value in zip(*(block[name] for name in columns), block["feature"], block["value"]):
            entries.setdefault(tuple(place), []).append((feature, mpf(value)))
    return entries


def likelihood(problem, demonstrations, theta, ends, horizon):
    """log Z (None for goal), the mean log-likelihood and its gradient, as 50-digit numbers."""
    model = Paths(problem, theta, horizon)
    every = [(first, path) for first, p in model.p0.items() if p > 0 for path in model.starting_in(first)]
    log_likelihood, gradient = mpf(0), [mpf(0)] * len(theta)
    total = mp.fsum(demo["weight"] for demo in demonstrations)
    for demo in demonstrations:
        begin, goal = demo["states"][0], demo["states"][-1]
        p0 = {begin: mpf(1)} if ends == "goal" else model.p0
        z, weighted, own = mpf(0), [mpf(0)] * len(theta), None
        for first, (states, actions, log_q, phi) in every:
            if first in p0 and model.ends_well(states, ends, goal):
                log_weight = mp.log(p0[first]) + log_q + model.reward(phi)
                weight = mp.exp(log_weight)
                z += weight
                weighted = [sum_ + weight * value for sum_, value in zip(weighted, phi)]
                if states == demo["states"] and actions == demo["actions"]:
                    own = log_weight, phi
        log_weight, phi = own
        share = demo["weight"] / total
        log_likelihood += share * (log_weight - mp.log(z))
        gradient = [g + share * (value - w / z) for g, value, w in zip(gradient, phi, weighted)]
    return None if ends == "goal" else mp.log(z), log_likelihood, gradient
