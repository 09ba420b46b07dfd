"""The sample bots are found where the package is installed, without importing it."""

import pytest

from arena.hosting.manifest import BotDirectoryError, load_manifest
from arena.hosting.sample_bots import kit_directory, sample_directory, template_directory, template_languages


@pytest.mark.parametrize("name", ["random", "greedy", "search"])
def test_a_sample_is_found_by_its_name(name: str) -> None:
    assert load_manifest(sample_directory(name)).name == name


def test_one_that_is_not_there_is_named_with_the_remedy() -> None:
    with pytest.raises(BotDirectoryError, match="the sample bot 'strong' is not installed; install"):
        sample_directory("strong")


def test_every_language_has_its_own_template() -> None:
    found = {language: template_directory(language) for language in template_languages()}
    assert {"python", "node", "cpp"} <= set(found)
    for language, directory in found.items():
        assert (directory.name, directory.parent.name) == ("template", language)
        assert (directory / "bot.toml").is_file()


def test_a_language_without_a_template_is_named_with_those_that_have_one() -> None:
    with pytest.raises(BotDirectoryError, match=r"no template for bots in 'cobol'; write .*python"):
        template_directory("cobol")
    assert kit_directory("cobol") is None


def test_a_kit_lies_beside_its_template() -> None:
    assert kit_directory("node") == template_directory("node").with_name("kit")
