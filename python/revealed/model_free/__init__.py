"""Learning a reward from rollouts of any Gymnasium environment, where the transition probabilities are not known.

Paths are observations and actions of any kind. Samplers draw them, importance weights turn them into expectations, and
the engine fits theta. This subpackage uses `inputs`, `display`, `questions.model`, `learning` and the engine.
Begin with `estimator`.
"""
