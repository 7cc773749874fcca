"""The names of model files."""

from __future__ import annotations

import os

__all__ = ["model_file"]


def model_file(path: str | os.PathLike[str]) -> str:
    """The path of a model file, which is a .json file."""
    name = os.fspath(path)
    suffix = os.path.splitext(name)[1]
    # A pipe or a device, such as /dev/stdout, has no suffix of its own.
    if suffix != ".json" and not (os.path.exists(name) and not os.path.isfile(name)):
        raise ValueError(f"{name}: has the extension {suffix or 'none'}: a model is a .json file")
    return name
