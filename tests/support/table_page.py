"""The page of a table in a browser: what every test that plays there does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page


SitDown = Callable[..., None]


def wait_until_asked(page: Page) -> None:
    """Wait for what the script offers; the buttons that a page brings along are for browsers without one."""
    page.wait_for_selector("#choices:not([hidden]) .play-actions button[type=button]")


def give_up(page: Page) -> None:
    page.click("#resign summary")
    page.click("#resign button.danger")
