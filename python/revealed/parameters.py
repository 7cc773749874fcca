"""The settings of an estimator as scikit-learn asks for them, without needing scikit-learn."""

from __future__ import annotations

from typing import Any, TypeVar

__all__: list[str] = []

Self = TypeVar("Self", bound="Parameters")


class Parameters:
    """An estimator whose constructor stores its keywords as they are: it can be cloned and searched over grids."""

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """The keywords of the constructor."""
        return dict(cls.__init__.__kwdefaults__ or {})

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings, by name."""
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self: Self, **params: Any) -> Self:
        """Change settings by name."""
        known = self._defaults()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}: it has {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        # Demonstrations are paths of any length, not a matrix.
        inputs = InputTags(two_d_array=False, dict=True, string=False)
        return Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=inputs)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "theta_")

    def _changed(self) -> dict[str, Any]:
        """The settings that are not the defaults."""
        changed = {}
        for name, default in self._defaults().items():
            value = getattr(self, name)
            if value is not default and not (isinstance(value, (int, float, str)) and value == default):
                changed[name] = value
        return changed

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._changed().items())})"

    def _repr_html_(self) -> str:
        from .cards import estimator_card

        return estimator_card(self, self._changed())
