"""The documentation site. `docs/build` builds it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import revealed
from docutils.nodes import SkipNode
from latex2mathml.converter import convert

HERE = Path(__file__).parent

project = "revealed"
author = "the revealed developers"
copyright = "the revealed developers; MIT or Apache-2.0"
release = version = revealed.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
# The version stands at the top of every page.
html_title = f"revealed {release}"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_theme_options = {"source_edit_link": None, "navigation_with_keys": True}

# Formulas are MathML, which browsers draw by themselves: the site needs no network.
html_math_renderer = "mathml"

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_timeout = 60
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_type_aliases = {"Floats": "ndarray", "Integers": "ndarray"}
# Gigabytes that no page needs to be built.
autodoc_mock_imports = ["jax", "torch"]
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_preprocess_types = False
# Docstrings have single backticks for code, as Markdown has.
default_role = "code"
# The texts of a Literal are no names.
suppress_warnings = ["ref.python"]


def _draw_tutorial(_app: Any) -> None:
    """The pictures of the tutorial, by the code that stands in it."""
    to = HERE / "_build" / "tutorial"
    to.mkdir(parents=True, exist_ok=True)
    blocks = re.findall(r"^```python\n(.*?)^```", (HERE / "tutorial.md").read_text(), re.MULTILINE | re.DOTALL)
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    subprocess.run([sys.executable, "-c", "\n".join(blocks)], cwd=to, env=environment, check=True, stdout=subprocess.DEVNULL)


def _formula(display: str) -> Callable[[Any, Any], None]:
    def visit(self: Any, node: Any) -> None:
        self.body.append(convert(node.astext(), display=display))
        raise SkipNode

    return visit


def setup(app: Any) -> None:
    """What Sphinx calls first."""
    app.connect("builder-inited", _draw_tutorial)
    app.add_html_math_renderer("mathml", (_formula("inline"), None), (_formula("block"), None))
