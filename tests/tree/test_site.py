"""The site of docs/: every page is in its menu once, it builds without a warning, and its links lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.support.reporting import report
from tests.support.sources import ROOT, text_of
from tools.docs_site import on_page_markdown

MENU_ENTRY = re.compile(r"^ *- [^:\n]+: ([\w-]+\.md)$", re.MULTILINE)
SECTION = re.compile(r"^  - (\d) ", re.MULTILINE)
LOADING = {"img": "src", "link": "href", "script": "src", "source": "src", "iframe": "src"}
"""The attribute with the address of what a browser loads for an element."""


class Page(HTMLParser):
    """The ids, the links and the loaded files of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = dict(attrs)
        self.ids |= {value for name in ("id", "name") if (value := of.get(name))}
        if tag == "a" and (link := of.get("href")):
            self.links.append(link)
        if tag in LOADING and (file := of.get(LOADING[tag])):
            self.loads.append(file)


@cache
def page_at(path: Path) -> Page:
    return Page(path.read_text("utf-8"))


def fault_of(site: Path, page: Path, target: str) -> str | None:
    """Why an address on a page leads nowhere within the site; nothing if it leads somewhere or to another site."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return None
    place = unquote(parts.path)
    file = site / place.lstrip("/") if place.startswith("/") else page.parent / place if place else page
    if file.is_dir():
        file /= "index.html"
    if not file.resolve().is_relative_to(site):
        return "leads out of the site"
    if not file.is_file():
        return "no such file"
    if parts.fragment and file.suffix == ".html" and unquote(parts.fragment) not in page_at(file).ids:
        return "no such anchor"
    return None


def faults_of(site: Path) -> list[str]:
    """A line for each address on the site's pages that leads nowhere."""
    targets = [(path, target) for path in site.rglob("*.html") for target in page_at(path).links + page_at(path).loads]
    return [f"{path.name}: {target}: {why}" for path, target in targets if (why := fault_of(site, path, target))]


def test_every_document_is_in_the_menu_once() -> None:
    menu = MENU_ENTRY.findall(text_of(Path("mkdocs.yml")))
    assert sorted(menu) == sorted(path.name for path in (ROOT / "docs").glob("*.md"))


def test_the_menu_has_nine_numbered_sections() -> None:
    assert SECTION.findall(text_of(Path("mkdocs.yml"))) == list("123456789")


def test_the_index_by_role_links_every_document_but_itself() -> None:
    index = text_of(Path("docs/index.md"))
    names = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    report(f"docs/index.md does not link {name}" for name in sorted(names) if f"]({name})" not in index)


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("[play.proto](../proto/play.proto)", "`proto/play.proto`"),
        ("[`proto/play.proto`](../proto/play.proto)", "`proto/play.proto`"),
        ("[README](../README.md)", "`README.md`"),
        ("[Try\nit](../README.md#try-it)", "Try it (`README.md`)"),
        ("[Protocol](protocol.md#faults)", "[Protocol](protocol.md#faults)"),
        ("![A page](../page.webp)", "![A page](../page.webp)"),
    ],
)
def test_a_link_that_leaves_docs_becomes_the_path_of_the_file(markdown: str, shown: str) -> None:
    assert on_page_markdown(markdown) == shown


def test_a_link_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    (tmp_path / "there.html").write_text('<h1 id="top">There</h1>', "utf-8")
    good = ["there.html", "there.html#top", "/there.html", "https://example.org/", "#here"]
    bad = ["gone.html", "there.html#gone", "../docs", "#gone"]
    anchors = "".join(f'<a href="{target}">x</a>' for target in good + bad)
    (tmp_path / "page.html").write_text(f'<p id="here">{anchors}<img src="gone.webp"></p>', "utf-8")
    assert sorted(faults_of(tmp_path)) == [
        "page.html: #gone: no such anchor",
        "page.html: ../docs: leads out of the site",
        "page.html: gone.html: no such file",
        "page.html: gone.webp: no such file",
        "page.html: there.html#gone: no such anchor",
    ]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The site, and what MkDocs said while it built it."""
    site = tmp_path_factory.mktemp("site").resolve()
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    return site, said


@pytest.mark.needs("mkdocs")
def test_the_site_is_built_without_a_warning(built: tuple[Path, str]) -> None:
    site, said = built
    report(line for line in said.splitlines() if not line.startswith("INFO "))
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert pages <= {path.stem for path in site.glob("*.html")}


@pytest.mark.needs("mkdocs")
def test_every_link_and_anchor_of_the_site_leads_somewhere(built: tuple[Path, str]) -> None:
    site, _ = built
    assert sum(len(page_at(path).links) for path in site.rglob("*.html")) > 1000
    report(faults_of(site))


@pytest.mark.needs("mkdocs")
def test_the_site_loads_nothing_from_elsewhere(built: tuple[Path, str]) -> None:
    site, _ = built
    loaded = [(path, file) for path in site.rglob("*.html") for file in page_at(path).loads]
    assert loaded
    report(f"{path.name}: {file}" for path, file in loaded if urlsplit(file).netloc)
    styles = [(path, path.read_text("utf-8")) for path in site.rglob("*.css")]
    assert styles
    report(path.name for path, text in styles if re.search(r"(@import|url\()\s*['\"]?(https?:)?//", text))
