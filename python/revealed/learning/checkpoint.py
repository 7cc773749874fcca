"""The checkpoint of a search: `MODEL.partial` next to the model file, as on the command line."""

from __future__ import annotations

import json
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from .. import _native
from ..display.progress import Callback, Progress
from ..inputs.columns import Floats
from .files import model_file

__all__ = ["Checkpoint"]

# A killed process loses only the work after its last checkpoint.
_SECONDS_BETWEEN = 2.0


class Checkpoint:
    """A model file next to the output that holds theta while the search runs."""

    def __init__(self, path: str | os.PathLike[str], record: dict[str, Any]) -> None:
        self.path = Path(model_file(path))
        self.partial = self.path.with_name(self.path.name + ".partial")
        if self.partial.is_symlink():
            raise ValueError(f"{self.partial} is a link: remove it, because a checkpoint is not written through a link")
        unfinished = {"converged": False, "stopped_because": "a checkpoint of a search that is not finished", "notes": []}
        self._template = record | unfinished
        self._saved: float | None = None

    def theta(self) -> Floats | None:
        """The weights of the checkpoint, or of the model itself; None if there is neither."""
        found = next((path for path in (self.partial, self.path) if path.is_file()), None)
        if found is None:
            return None
        record = json.loads(_native.load_model(os.fspath(found)))
        if record["problem_digest"] != self._template["problem_digest"]:
            raise ValueError(f"{found}: it belongs to another MDP: remove it, or fit without resume")
        if record["inference"] != self._template["inference"]:
            raise ValueError(f"{found}: it was learned with inference={record['inference']!r}: give the same, or no resume")
        return np.array(record["theta"], dtype=np.float64)

    def watching(self, callback: Callback | None) -> Callback:
        """A callback that also saves now and then."""

        def watch(step: Progress) -> bool | None:
            self._now_and_then(step)
            return None if callback is None else callback(step)

        return watch

    def _now_and_then(self, step: Progress) -> None:
        if self._saved is not None and time.monotonic() - self._saved < _SECONDS_BETWEEN:
            return
        found = {"theta": step.theta.tolist(), "log_likelihood": step.objective, "gradient_norm": step.gradient_norm}
        counts = {"iterations": step.iteration, "evaluations": step.evaluations}
        try:
            _native.save_model(os.fspath(self.partial), json.dumps(self._template | found | counts))
        except (OSError, ValueError) as error:
            if self._saved is None:
                raise
            # Learning goes on: a full disk may have room again when the model is written.
            warnings.warn(f"no checkpoint was written: {error}", stacklevel=2)
        self._saved = time.monotonic()

    def remove(self) -> None:
        """Removes it, now that the model is written."""
        self.partial.unlink(missing_ok=True)
