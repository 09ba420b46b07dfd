"""What a game of OpenSpiel consists of, made of a game of ours; `arena.adapters.openspiel` registers them."""
