"""Changes the pages that FORD wrote so that they belong to the site.

    ford_pages.py FOLDER VERSION    in and out: the HTML pages of FOLDER, which becomes reference/fortran of the site

Every page gets a link back to the site, and a foot without authors. Pages load nothing from elsewhere: they need neither jQuery nor
MathJax, and the site works without a network. The front page keeps its text, which names what programs use, and loses the lists
below it, which begin with internal modules and procedures. Text that FORD writes in another way is an error.
"""

import re
import sys
from pathlib import Path


def replace(pattern, new, text, where):
    """`text` with the one place that `pattern` fits replaced."""
    changed, count = re.subn(pattern, lambda _: new, text, flags=re.DOTALL)
    if count != 1:
        sys.exit(f"{where}: {count} places fit {pattern}")
    return changed


def main(folder, version):
    for page in Path(folder).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        text = re.sub(r'<script[^>]*src="https?://[^>]*></script>', "", text)
        up = "../" * (len(page.relative_to(folder).parts) + 1)
        back = f'<ul class="nav navbar-nav">\n            <li><a href="{up}index.html">All documentation</a></li>'
        text = replace(r'<ul class="nav navbar-nav">', back, text, page)
        foot = f'<p>neargrid {version}, <a href="{up}index.html">all documentation</a></p>\n          </div>'
        text = replace(r"<p>[^<]* was developed by.*?</p>\s*</div>", foot, text, page)
        if page == Path(folder) / "index.html":
            text = replace(r'<div class="row">\s*<hr>.*(?=<hr>\s*</div> <!-- /container -->)', "", text, page)
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
