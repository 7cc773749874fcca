"""Demonstrated paths from many types of input: lists, arrays, trajectories of imitation, Minari datasets, frames.

Paths are read and checked here without an MDP; whether an MDP has such states and actions is checked in `mdp`. This
room touches `inputs`, `display` and the engine's files of demonstrations. Begin with `trajectories`.
"""
