"""The program of a bot that was made of a callable, as text: it is written into the bot's files and run there."""

from __future__ import annotations

PROGRAM = '''"""Plays as the callable in bot.pickle does, which a program gave to arena.api."""

import pickle
import sys
from pathlib import Path

from bots.kit import Bot, run

PYTHON = @PYTHON@


class Called(Bot):
    def __init__(self, function):
        self._function = function

    def decide(self, decision):
        return self._function(decision)


def load():
    with (Path(__file__).parent / "bot.pickle").open("rb") as file:
        found = pickle.load(file)
    if isinstance(found, type):
        return found()
    return found if isinstance(found, Bot) else Called(found)


if __name__ == "__main__":
    if sys.version_info[:2] != PYTHON:
        sys.exit(f"this bot was made by Python {PYTHON}, and this is {sys.version_info[:2]}; add it again")
    run(load())
'''
