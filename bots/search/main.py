"""Runs the search bot, whose play is in bots/algorithms/search.py."""

import argparse

from bots.algorithms.search import SearchBot
from bots.kit import run


def _playouts(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number}: a decision needs at least 1 playout")
    return number


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Plays any game by Monte-Carlo tree search.")
    parser.add_argument("--playouts", type=_playouts, help="playouts a decision, instead of thinking by the clock")
    run(SearchBot(parser.parse_args().playouts))
