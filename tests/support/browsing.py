"""A real browser, headless: Debian's Chromium, driven by Playwright. Tests that need one say so when there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.patience import PATIENCE_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request, Response

AXE = Path(__file__).parents[1] / "web" / "vendor" / "axe.min.js"
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}
_CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']"
_SEE = """controls => {
  const chosen = one => one.form?.querySelector(`[name="${one.name}"]:checked`);
  const isOther = one => one.type === "radio" && !one.checked && chosen(one);
  window.wanted = [...document.querySelectorAll(controls)].filter(one =>
    one.checkVisibility({ visibilityProperty: true }) && !one.disabled && one.tabIndex >= 0 && !isOther(one));
  window.reached = new Map();
  document.addEventListener("focusin", ({ target }) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(target);
    reached.set(target, outlineStyle !== "none" && parseFloat(outlineWidth) > 0);
  });
  document.activeElement.blur();
  return wanted.length;
}"""
_UNREACHED = """wanted.filter(one => one.isConnected && !reached.get(one))
  .map(one => `${reached.has(one) ? "unseen" : "unreached"}: ${one.outerHTML.slice(0, 200)}`)"""


def find_chromium() -> str:
    """Where Chromium is; a test that asks has the mark `needs("browser")`."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    assert found is not None
    return found


def expect(found: Any) -> Any:
    """Playwright's assertions about a page or a part of it, which wait as long as a busy machine may take."""
    from playwright.sync_api import expect as expect_of

    expect_of.set_options(timeout=PATIENCE_S * 1000)
    return expect_of(found)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser of one's own."""
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox", "--disable-dev-shm-usage"] if os.geteuid() == 0 else ["--disable-dev-shm-usage"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Watched:
    """A page of a browser, and everything that went wrong in it."""

    page: Page
    troubles: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.troubles.append(f"script: {error}"))
        self.page.on("dialog", self._dismiss)
        self.page.on("requestfailed", self._note_failed)
        self.page.on("response", self._note_answer)
        self.page.set_default_timeout(PATIENCE_S * 1000)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(f"console: {message.text}")

    def _dismiss(self, dialog: Dialog) -> None:
        self.troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _note_failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # what the page itself gave up, such as a live stream that it closed
            self.troubles.append(f"failed: {request.url}: {request.failure}")

    def _note_answer(self, response: Response) -> None:
        if response.status >= 400:
            self.troubles.append(f"{response.status}: {response.url}")

    def serious_findings(self, *rules: str) -> list[str]:
        """What axe-core finds in the page as it is now, of those that are serious or critical; by all rules or some."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        options = {"runOnly": list(rules)} if rules else {}
        found = self.page.evaluate("options => axe.run(options).then(result => result.violations)", options)
        return [
            f"{one['id']}: {one['help']}: {node['html'][:200]}"
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]

    def unreached(self) -> list[str]:
        """What can be seen and used in the page, but is not reached by the tabulator alone, or not seen to be."""
        wanted: int = self.page.evaluate(_SEE, _CONTROLS)
        found: list[str] = []
        for presses in (wanted + 1, wanted // 2 + 10):  # regions that scroll are reached, too, and come on top
            for _ in range(presses):
                self.page.keyboard.press("Tab")
            found = self.page.evaluate(_UNREACHED)
            if not found:
                break
        return found

    def overflows(self) -> int:
        """By how many pixels the page is wider than the window."""
        wide: int = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        return wide
