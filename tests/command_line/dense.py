"""The model once more, with dense numpy arrays in log space: nothing is shared with the engine.

Time runs from 0 here, so the discount at t is g ** t.
"""

import numpy as np
from scipy.special import logsumexp


class Dense:
    """A problem document as dense arrays: p0, log T, log pi0, and the three kinds of features."""

    def __init__(self, problem):
        states, actions, features = problem["n_states"], problem["n_actions"], problem["n_features"]
        self.discount = problem["discount"]
        self.terminal = np.isin(np.arange(states), problem["terminal"])
        self.p0 = np.zeros(states)
        self.p0[problem["start"]["state"]] = problem["start"]["p"]

        rows = problem["transitions"]
        place = rows["from"], rows["action"], rows["to"]
        self.t = np.zeros((states, actions, states))
        self.t[place] = rows["p"]
        self.t[self.terminal] = 0.0  # a terminal state has no children

        self.pi0 = np.ones((states, actions))
        if reference := problem.get("reference"):
            self.pi0[:] = 0.0
            self.pi0[reference["state"], reference["action"]] = reference["p"]

        self.phi_s = np.zeros((states, features))
        self.phi_sa = np.zeros((states, actions, features))
        self.phi_sas = np.zeros((states, actions, states, features))
        if block := problem["features"].get("state"):
            self.phi_s[block["state"], block["feature"]] = block["value"]
        if block := problem["features"].get("state_action"):
            self.phi_sa[block["state"], block["action"], block["feature"]] = block["value"]
        if block := problem["features"].get("transition"):
            row = block["transition"]
            place = [np.take(column, row) for column in place]
            self.phi_sas[(*place, block["feature"])] = block["value"]

    def log_q(self, path):
        """log of the transition probabilities and reference policy along a path, without p0."""
        steps = zip(path["states"], path["actions"], path["states"][1:])
        return sum(np.log(self.t[step] * self.pi0[step[:2]]) for step in steps)

    def phi(self, path):
        """phi(tau), discounted."""
        states, actions = path["states"], path["actions"]
        total = sum(self.discount**t * self.phi_s[state] for t, state in enumerate(states))
        for t, step in enumerate(zip(states, actions, states[1:])):
            total = total + self.discount**t * (self.phi_sa[step[:2]] + self.phi_sas[step])
        return total


def may_stop(model, ends, horizon, goal):
    """stop[t, s]: whether a path may end in s at time t."""
    stop = np.zeros((horizon, len(model.p0)), dtype=bool)
    if ends == "anywhere":
        stop[:] = True
    elif ends == "goal":
        stop[:, goal] = True
    else:
        stop[:, model.terminal] = True
        if ends == "horizon":
            stop[-1] = True
    return stop


@np.errstate(divide="ignore")
def expectation(model, theta, p0, stop):
    """log Z and E[phi] over the paths that begin in p0."""
    horizon, states = stop.shape
    r_s, r_step = model.phi_s @ theta, (model.phi_sa @ theta)[:, :, None] + model.phi_sas @ theta
    log_q = np.log(model.t) + np.log(model.pi0)[:, :, None]
    log_m = [log_q + model.discount**t * r_step for t in range(horizon)]

    beta = np.full((horizon + 1, states), -np.inf)
    inside = np.empty((horizon, states))  # beta without its own e^{R_s}
    for t in reversed(range(horizon)):
        go_on = logsumexp(log_m[t] + beta[t + 1], axis=(1, 2))
        inside[t] = np.logaddexp(np.log(stop[t]), go_on)
        beta[t] = inside[t] + model.discount**t * r_s
    log_z = logsumexp(np.log(p0) + beta[0])

    expected = np.zeros_like(theta)
    p = np.exp(np.log(p0) + beta[0] - log_z)
    for t in range(horizon):
        reachable = np.where(p > 0.0, inside[t], np.inf)[:, None, None]
        step = p[:, None, None] * np.exp(log_m[t] + beta[t + 1] - reachable)
        visits = p @ model.phi_s + np.tensordot(step.sum(axis=2), model.phi_sa, 2) + np.tensordot(step, model.phi_sas, 3)
        expected += model.discount**t * visits
        p = step.sum(axis=(0, 1))
    return log_z, expected


def likelihood(problem, demonstrations, theta, ends, horizon):
    """log Z (None for goal), the mean log-likelihood and its gradient."""
    model, theta = Dense(problem), np.asarray(theta)
    log_likelihood, gradient = 0.0, np.zeros(len(theta))
    total = sum(path["weight"] for path in demonstrations)
    for path in demonstrations:
        first, goal = path["states"][0], path["states"][-1]
        p0 = np.eye(len(model.p0))[first] if ends == "goal" else model.p0
        log_z, expected = expectation(model, theta, p0, may_stop(model, ends, horizon, goal))
        share, phi = path["weight"] / total, model.phi(path)
        log_likelihood += share * (np.log(p0[first]) + model.log_q(path) + phi @ theta - log_z)
        gradient += share * (phi - expected)
    return None if ends == "goal" else log_z, log_likelihood, gradient
