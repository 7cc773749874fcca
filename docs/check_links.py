"""Whether every link and picture of the site leads somewhere: check_links.py FOLDER. `docs/build` runs it.

Only links within the site are followed: pages, files, and anchors within pages. Addresses elsewhere are listed with --list.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Pages that Sphinx makes for itself: their links are made by its search, or are of source code.
SKIPPED = {"search.html", "genindex.html", "py-modindex.html"}


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.anchors |= {value for name in ("id", "name") if (value := given.get(name))}
        for name in ("href", "src", "data"):
            if (link := given.get(name)) and tag in ("a", "img", "object", "script", "source"):
                self.links.append(link)


def pages_of(site: Path) -> dict[Path, Page]:
    files = [file for file in sorted(site.rglob("*.html")) if "_static" not in file.parts]
    return {file: Page(file.read_text(encoding="utf-8")) for file in files}


def broken(site: Path) -> list[str]:
    """A line for each link that leads nowhere."""
    pages, found = pages_of(site.resolve()), []
    for file, page in pages.items():
        if file.name in SKIPPED:
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link == "#":
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not target.exists():
                found.append(f"{file.relative_to(site.resolve())}: {link} does not exist")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{file.relative_to(site.resolve())}: {link} has no such anchor")
    return sorted(set(found))


def elsewhere(site: Path) -> list[str]:
    """The addresses outside of the site."""
    return sorted({link for page in pages_of(site).values() for link in page.links if urlsplit(link).netloc})


def main() -> int:
    site = Path(sys.argv[1])
    if "--list" in sys.argv:
        print("\n".join(elsewhere(site)))
    found = broken(site)
    print("\n".join(found) or f"the links of {len(pages_of(site))} pages lead somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
