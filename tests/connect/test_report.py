"""What a bridge tells, in the words of the command line."""

from __future__ import annotations

import pytest

from arena.cli.verbs.bot.connect import BridgeReport
from arena.connect.news import Waiting


def test_who_waits_is_told_how_to_get_matches(capsys: pytest.CaptureFixture[str]) -> None:
    BridgeReport("arena://club", as_json=False).write(Waiting("ada/fox", ("nim",)))
    said = capsys.readouterr().out
    assert said.startswith("ada/fox is connected and waits: no match has come yet; `")
    assert "arena --server club ladder list` shows where remote bots play, `" in said
    assert "arena --server club challenge BOT --with fox --game nim` plays against a bot at once" in said
