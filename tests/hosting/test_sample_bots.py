"""The sample bots are found where the package is installed, without importing it."""

import pytest

from arena.hosting.manifest import BotDirectoryError, load_manifest
from arena.hosting.sample_bots import sample_directory


@pytest.mark.parametrize("name", ["random", "greedy", "search"])
def test_a_sample_is_found_by_its_name(name: str) -> None:
    assert load_manifest(sample_directory(name)).name == name


def test_one_that_is_not_there_is_named_with_the_remedy() -> None:
    with pytest.raises(BotDirectoryError, match="the sample bot 'strong' is not installed; install"):
        sample_directory("strong")
