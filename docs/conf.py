"""Settings of Sphinx for `make docs`; docs/adr/0020-documentation-site.md says why Sphinx."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent

project = "neargrid"
release = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)
version = release
author = copyright = "the neargrid authors"

extensions = ["myst_parser"]
# GitHub makes the same anchors, so that links work there and here.
myst_heading_anchors = 4
# What developers read stays on GitHub; the references are made by other tools, into the same folder.
exclude_patterns = ["adr", "lab", "proofs"]
nitpicky = True

html_theme = "furo"
html_title = f"neargrid {release}"
html_copy_source = False
html_show_sphinx = False
