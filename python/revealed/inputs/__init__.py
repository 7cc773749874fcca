"""What users pass in, checked and converted to what the engine takes: numbers, columns, matrices, frames, options.

These functions are independent of the rest of the package: they use numpy and the objects that they are given, and
raise errors that name the argument, the value and the remedy. Begin with `columns`, which every other room uses.
"""
