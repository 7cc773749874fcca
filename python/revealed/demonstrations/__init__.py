"""Demonstrated paths from all supported sources: lists, arrays, trajectories of imitation, Minari datasets, frames.

Paths are read and checked here without an MDP; whether an MDP has such states and actions is checked in `mdp`. This
subpackage uses `inputs`, `display` and the engine's files of demonstrations. Begin with `trajectories`.
"""
