"""What users pass in, checked and converted to what the engine takes: numbers, columns, matrices, frames, options.

These functions know nothing of the rest of the package: they touch numpy and the objects that they are given, and raise
errors that name the argument, the value and the remedy. Begin with `columns`, which every other room uses.
"""
