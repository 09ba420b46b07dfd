"""The wire is frozen: what a bot may rely on is listed in surface.txt."""

from pathlib import Path

from tests.wire.surface import surface

LISTING = Path(__file__).with_name("surface.txt")


def test_the_wire_is_what_the_frozen_listing_says() -> None:
    frozen = LISTING.read_text(encoding="utf-8").splitlines()
    gone, new = sorted(set(frozen) - set(surface())), sorted(set(surface()) - set(frozen))
    assert not gone, f"this breaks bots in the field (another major version is needed): {gone}"
    assert not new, f"new on the wire; if that is meant, python -m tests.wire.surface > tests/wire/surface.txt: {new}"
    assert frozen == surface()
