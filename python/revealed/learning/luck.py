"""The warning of a fit whose model explains luck."""

from __future__ import annotations

__all__ = ["LuckWarning"]


class LuckWarning(UserWarning):
    """Part of what a model of paths explains is luck: it also makes lucky outcomes likelier.

    In a world with chance, `MaxEntIRL(inference="causal")` learns from the choices alone.
    """
