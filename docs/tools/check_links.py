#!/usr/bin/env python3
"""Checks links of the pages of a built site: the files and anchors that they name must exist, also in the references.

    check_links.py SITE
"""

import sys
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """Links and anchors of one page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.feed(path.read_text(errors="replace"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.add(value)
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)


page = lru_cache(maxsize=None)(Page)


def dead(path, link):
    """Whether a link of the page at a path leads nowhere within the site."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False
    goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if goal.is_dir():
        goal /= "index.html"
    if not goal.exists():
        return True
    is_page = goal.suffix == ".html" and goal.name not in ("genindex.html", "search.html")
    return bool(parts.fragment and is_page and unquote(parts.fragment) not in page(goal).anchors)


def main(site):
    own = [p for p in site.rglob("*.html") if not p.is_relative_to(site / "reference") or p.parent == site / "reference"]
    found = [(p.relative_to(site), link) for p in own for link in sorted(page(p).links) if dead(p, link)]
    for path, link in found:
        print(f"{path}: {link} leads nowhere", file=sys.stderr)
    if not own:
        print(f"{site} has no pages", file=sys.stderr)
    return bool(found) or not own


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
