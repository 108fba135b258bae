"""Settings of Sphinx for `make docs`; docs/adr/0020-documentation-site.md says why Sphinx."""

import re
import shutil
from pathlib import Path

from docutils import nodes

ROOT = Path(__file__).parent.parent

project = "neargrid"
release = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)
version = release
author = copyright = "the neargrid authors"

extensions = ["myst_parser"]
# GitHub makes the same anchors, so that links work there and here.
myst_heading_anchors = 4
# What developers read stays on GitHub; the references are made by other tools, into the same folder.
exclude_patterns = ["adr", "lab", "proofs", "reference/ford.md"]
nitpicky = True

html_theme = "furo"
html_title = f"neargrid {release}"
html_copy_source = False
html_show_sphinx = False


# --- links to Markdown files of the repository that are no pages: the site gets copies ------------------------------------------

copies = set()


def link_to_copy(app, env, node, contnode):
    """Turns such a link into one to a copy; any other that leads nowhere stays a warning."""
    page = Path(env.doc2path(node.get("refdoc", env.docname)))
    file = (page.parent / node["reftarget"].split("#")[0]).resolve()
    if not file.is_file() or ROOT not in file.parents or env.path2doc(str(file)) in env.found_docs:
        return None
    copies.add(file.relative_to(ROOT))
    up = "../" * (len(page.relative_to(app.srcdir).parts) - 1)
    return nodes.reference("", "", contnode, internal=False, refuri=f"{up}_files/{file.relative_to(ROOT)}")


def copy_files(app, error):
    """Copies the files that pages link to."""
    for name in copies if not error else ():
        to = Path(app.outdir) / "_files" / name
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, to)


def setup(app):
    """Registers the two functions above."""
    app.connect("missing-reference", link_to_copy)
    app.connect("build-finished", copy_files)
