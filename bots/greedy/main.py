"""Runs the greedy bot, whose play is in bots/algorithms/greedy.py."""

from bots.algorithms.greedy import GreedyBot
from bots.kit import run

if __name__ == "__main__":
    run(GreedyBot())
