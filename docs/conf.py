"""The configuration of Sphinx, which makes a site of these pages and of the docstrings."""

import mammalath_env

project = "mammalath_env"
author = "The mammalath_env developers"
copyright = f"2026, {author}"
release = mammalath_env.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
html_theme = "furo"
html_title = f"mammalath_env {release}"
myst_heading_anchors = 3

# A name in single backticks is a link where it is the name of something.
default_role = "any"
suppress_warnings = ["ref.any"]
# Attributes are part of the docstring of their class.
napoleon_use_ivar = True
autoclass_content = "both"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
# The adapters are described without their libraries.
autodoc_mock_imports = [
    "agilerl",
    "benchmarl",
    "lz4",
    "open_spiel",
    "pyarrow",
    "pyspiel",
    "ray",
    "sb3_contrib",
    "stable_baselines3",
    "tensordict",
    "torch",
    "torchrl",
    "tree",
    "xuance",
]
