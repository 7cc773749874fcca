"""Reads a problem file (npz, docs/formats.md) into the arrays that the baselines need."""

import numpy as np


class Problem:
    """An MDP without transitions out of terminal states, and its features as columns."""

    def __init__(self, path):
        with np.load(path, allow_pickle=False) as file:
            self.fields = {name: file[name] for name in file.files}
        self.n_states = int(self.fields["n_states"])
        self.n_actions = int(self.fields["n_actions"])
        self.n_features = int(self.fields["n_features"])
        self.discount = float(self.fields.get("discount", 1.0))
        self.terminal = self.integers("terminal")
        self.start = np.zeros(self.n_states)
        self.start[self.integers("start.state")] = self.numbers("start.p")
        self._read_transitions()

    def integers(self, name):
        return np.asarray(self.fields.get(name, []), dtype=np.int64)

    def numbers(self, name):
        return np.asarray(self.fields.get(name, []), dtype=np.float64)

    def _read_transitions(self):
        columns = [self.integers("transitions." + name) for name in ("from", "action", "to")]
        probability = self.numbers("transitions.p")
        is_terminal = np.zeros(self.n_states, dtype=bool)
        is_terminal[self.terminal] = True
        keep = np.flatnonzero(~is_terminal[columns[0]] & (probability > 0))
        self.row = keep
        self.from_state, self.action, self.to_state = (column[keep] for column in columns)
        self.probability = probability[keep]

    def reference_policy(self):
        """pi0(a|s) of each transition: 1 without a reference policy, and 0 for pairs that it does not list."""
        if len(self.integers("reference.state")) == 0:
            return np.ones(len(self.row))
        named = self.integers("reference.state") * self.n_actions + self.integers("reference.action")
        order = np.argsort(named)
        wanted = self.from_state * self.n_actions + self.action
        place = np.searchsorted(named[order], wanted).clip(max=len(named) - 1)
        found = order[place]
        return np.where(named[found] == wanted, self.numbers("reference.p")[found], 0.0)
