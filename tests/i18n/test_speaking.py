"""The language of a process is what its environment asks for, like that of every other program."""

import pytest

from arena.i18n.speaking import language_of_process


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_CH.UTF-8"}, "de"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "nl_NL.UTF-8"}, "en"),
        ({"LANG": "fr_FR", "LC_MESSAGES": "it_IT"}, "it"),
        ({"LANG": "fr_FR", "LC_ALL": "C"}, "en"),
        ({"LANG": "fr_FR", "LC_ALL": "", "LC_MESSAGES": ""}, "fr"),
        ({"LC_ALL": "fr_FR.UTF-8", "ARENA_LANG": "it"}, "it"),
        ({"ARENA_LANG": "de-AT"}, "de"),
    ],
)
def test_the_environment_says_the_language(environ: dict[str, str], language: str) -> None:
    assert language_of_process(environ) == language
