"""Learning a reward from demonstrations in a known MDP, in the manner of scikit-learn.

`maxent` has the estimator; `parameters` and `search` hold what it shares with model-free learning; `summary` and
`validation` say how certain a fit is, and `comparison` which model to take; `counterfactual` asks what would change in
another world. This subpackage uses all of those before it. Begin with `maxent`.
"""
