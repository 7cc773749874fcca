"""The settings of an estimator as scikit-learn asks for them; scikit-learn itself is not needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..display.cards import card, notes_below, weight_bars

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Parameters"]

# The rows of a fitted estimator's card: the name, the attribute, and the format.
_FITTED = (
    ("log-likelihood", "log_likelihood_", "{:.6g} (mean of a demonstration)"),
    ("iterations", "n_iter_", "{}"),
    ("horizon", "horizon_", "{} states"),
    ("ends", "ends_", "{}"),
)


class Parameters:
    """An estimator whose constructor stores its keywords unchanged, so that scikit-learn can clone it."""

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """The keywords of the constructor."""
        return dict(cls.__init__.__kwdefaults__ or {})

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name."""
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params: Any) -> Self:
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
        """The settings that differ from the defaults."""
        changed = {}
        for name, default in self._defaults().items():
            value = getattr(self, name)
            if value is not default and not (isinstance(value, (int, float, str)) and value == default):
                changed[name] = value
        return changed

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._changed().items())})"

    def _feature_names(self) -> list[str]:
        """The names of the features of a fitted estimator; empty if they have none."""
        raise NotImplementedError

    def _notes(self) -> list[str]:
        """The notes on a fit."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        rows = [(name, _short(value)) for name, value in self._changed().items()]
        fitted: Any = self
        if not hasattr(fitted, "theta_"):
            return card(type(self).__name__, [*rows, ("fitted", "not yet")])
        if fitted.stopped_:
            rows.append(("stopped", "by the callback"))
        else:
            rows.append(("converged", "yes" if fitted.converged_ else f"no: {fitted.stopped_because_}"))
        # The attributes depend on the estimator.
        for name, attribute, form in _FITTED:
            if hasattr(fitted, attribute):
                rows.append((name, form.format(getattr(fitted, attribute))))
        below = weight_bars(fitted.theta_, self._feature_names()) + notes_below(self._notes())
        return card(type(self).__name__, rows, below)


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else shown[:77] + "..."
