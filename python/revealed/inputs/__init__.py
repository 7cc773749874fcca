"""What users pass in, checked and converted to what the engine takes: numbers, columns, matrices, frames, options.

These functions do not depend on the rest of the package. They use numpy and the objects that they are given, and raise
errors that name the argument, the value and the remedy. Begin with `columns`, which every other subpackage uses.
"""
