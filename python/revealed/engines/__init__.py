"""Where the worlds of a fit are, and who evaluates them: threads, processes, joblib; Ray is in `revealed.ray`.

An engine has three calls: `place`, `evaluate` and `close`. It uses `mdp` and `demonstrations`. Begin with `engine`.
"""

from __future__ import annotations

from .engine import Engine, EngineError
from .partition import PartOfWorld, WorldSource, divided
from .processes import ProcessEngine
from .threads import ThreadEngine
from .with_joblib import JoblibEngine

__all__ = ["Engine", "EngineError", "JoblibEngine", "PartOfWorld", "ProcessEngine", "ThreadEngine", "WorldSource", "divided"]
