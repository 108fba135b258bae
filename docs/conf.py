"""Settings of Sphinx for `make docs`; docs/adr/0020-documentation-site.md says why Sphinx."""

import re
import shutil
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

ROOT = Path(__file__).parent.parent

project = "neargrid"
release = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)
version = release
author = copyright = "the neargrid authors"

extensions = ["myst_parser"]
# GitHub makes the same anchors, so that links work there and here.
myst_heading_anchors = 4
# Pages for developers stay on GitHub; the references are made by other tools, into the same folder.
exclude_patterns = ["adr", "design", "lab", "proofs", "reference/ford.md"]
nitpicky = True

html_theme = "furo"
html_title = f"neargrid {release}"
html_copy_source = False
html_show_sphinx = False


# --- links to Markdown files of the repository that are no pages: the site gets copies ------------------------------------------

copies = set()


def link_to_copies(app, doctree):
    """Turns such links of a page into links to the copies. Any other link that leads nowhere stays a warning."""
    page = Path(app.env.doc2path(app.env.docname))
    for node in list(doctree.findall(addnodes.pending_xref)):
        target = node["reftarget"].split("#")[0]
        # a path from the page, or what MyST 2 makes of it: one from docs/, without .md
        for file in (page.parent / target, Path(app.srcdir) / f"{target}.md"):
            file = file.resolve()
            if not file.is_file() or ROOT not in file.parents or app.env.path2doc(str(file)) in app.env.found_docs:
                continue
            copies.add(file.relative_to(ROOT))
            up = "../" * (len(page.relative_to(app.srcdir).parts) - 1)
            uri = f"{up}_files/{file.relative_to(ROOT)}"
            node.replace_self(nodes.reference("", "", *node.children, internal=False, refuri=uri))
            break


def copy_files(app, error):
    """Copies the files that pages link to."""
    for name in copies if not error else ():
        to = Path(app.outdir) / "_files" / name
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, to)


def setup(app):
    """Registers the two functions above."""
    app.connect("doctree-read", link_to_copies)
    app.connect("build-finished", copy_files)
