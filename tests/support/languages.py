"""What the tests of bots in other languages need from the machine: skipped without it, unless it was promised."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

from arena.hosting.sample_bots import template_languages
from arena.hosting.tools import install_command, missing_packages

PROMISE = "KMA_NEED_LANGUAGES"
"""Set where the tools of all languages are known to be there, as .ci/run does: then a test without them fails."""


def skip_or_fail(why: str) -> NoReturn:
    """Skip the test, or fail it if the machine promised to have what it needs."""
    if os.environ.get(PROMISE):
        pytest.fail(f"{PROMISE} is set, and yet: {why}")
    pytest.skip(why)


def need_language(language: str) -> None:
    """Skip or fail the test where bots in that language can be neither built nor run."""
    missing = missing_packages(language)
    if missing:
        skip_or_fail(f"no bot in {language} runs here: {install_command(missing)}")


def has_language(language: str) -> bool:
    """Whether bots in that language can be made, built and run here. It fails the test if that was promised."""
    missing = missing_packages(language)
    if missing and os.environ.get(PROMISE):
        skip_or_fail(install_command(missing))
    return not missing and language in template_languages()
