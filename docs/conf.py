"""Settings of the site that ``make docs`` builds with Sphinx."""

from __future__ import annotations

import sys
from pathlib import Path

import irbmodels

if Path(irbmodels.__file__).is_relative_to(Path(__file__).resolve().parents[1] / "irbmodels"):
    raise RuntimeError("the site is made from an installed wheel: make docs")
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from extra import check_extra

check_extra()

project = "irbmodels"
author = "the irbmodels contributors"
copyright = f"2026, {author}"
version = release = irbmodels.__version__

extensions = [
    "myst_nb",  # Markdown pages, and notebooks that are executed
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx_design",
    "sphinx_copybutton",
    "docstrings",
    "inventories",
    "project_pages",
    "rapid_lexer",
]
exclude_patterns = ["_ext", "contrib/**.py"]
nitpicky = False

# Pages
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

# Notebooks: each runs in an empty folder, from the installed package
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_timeout = 300  # [s], a guard against hangs
nb_execution_raise_on_error = True
nb_merge_streams = True

# Reference
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
ALIASES = "Array ArrayLike Mask RealOrComplex TorqueInput Wrench WrenchInput"
autodoc_type_aliases = {name: name for name in ALIASES.split()}
suppress_warnings = ["ref.python"]

# Look
html_theme = "pydata_sphinx_theme"
html_title = f"irbmodels {release}"
html_static_path = ["_static"]
html_extra_path = ["generated/site"]  # the robot of the first page
html_context = {"default_mode": "auto"}
html_css_files = ["site.css"]
html_show_sourcelink = False
html_sidebars = {"index": [], "start/index": []}  # they have no pages below them
html_theme_options = {
    "navbar_align": "left",
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "back_to_top_button": False,
}
