"""Runs the search bot with 100 playouts for each decision, instead of thinking by the clock."""

from bots.algorithms.search import SearchBot
from bots.kit import run

if __name__ == "__main__":
    run(SearchBot(playouts=100))
