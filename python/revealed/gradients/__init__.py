"""The log-likelihood and log Z as functions with exact gradients, for users with their own optimiser or network.

Everything that does not depend on theta or the reward is prepared once. This subpackage uses `inputs`, `mdp` and
the engine; `revealed.jax` and `revealed.torch` wrap it. Begin with `log_likelihood`.
"""
