"""Runs the random bot, whose play is in bots/algorithms/uniform.py."""

from bots.algorithms.uniform import RandomBot
from bots.kit import run

if __name__ == "__main__":
    run(RandomBot())
