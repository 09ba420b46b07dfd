"""The addresses of pages with what was chosen on them."""

from __future__ import annotations

from urllib.parse import urlencode


def address_of_page(path: str, **values: str | None) -> str:
    """Return the address of a page with those values that are not empty."""
    given = {name: value for name, value in values.items() if value}
    return f"{path}?{urlencode(given)}" if given else path
