"""The old place of `ratings.ledger.tournaments`."""

from ratings.ledger.tournaments import BlockPlan, MatchPlan, TournamentPlan, create_tournament

__all__ = ["BlockPlan", "MatchPlan", "TournamentPlan", "create_tournament"]
