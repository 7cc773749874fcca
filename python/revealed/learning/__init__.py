"""Learning a reward from demonstrations in a known MDP, in the manner of scikit-learn.

`maxent` has the estimator; `parameters` and `search` hold what it shares with model-free learning; `summary` and
`validation` say how certain a fit is. This room touches all rooms before it. Begin with `maxent`.
"""
