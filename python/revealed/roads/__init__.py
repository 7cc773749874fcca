"""Road networks: GPS trips matched to the roads that they took.

It uses `inputs` and `demonstrations`. Begin with `matching`.
"""

from .matching import Matches, match

__all__ = ["Matches", "match"]
