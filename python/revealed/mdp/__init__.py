"""The MDP without its reward: states, actions, transitions, features, and what can be computed from a known reward.

Files `from_*` read what users have; `planning` and `plotting` add methods to the class in `mdp`, whose properties are
in `parts`. This subpackage uses `inputs`, `display`, `demonstrations`, `drawing` and the engine. Begin with `mdp`.
"""
