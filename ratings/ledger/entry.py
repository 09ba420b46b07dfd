"""The life of tournaments and matches, from plan to result: the functions that write facts, in one place.

`planning` writes plans, `leasing` hands matches out and takes them back, `recording` finishes them.
"""

from ratings.ledger.leasing import (
    MAX_ATTEMPTS,
    LeasedMatch,
    LeasedSeat,
    Progress,
    cancel,
    lease,
    progress,
    record_host_failure,
    release,
)
from ratings.ledger.recording import FaultFact, LeakFact, MatchFact, record_result, record_results
from ratings.ledger.tournaments import BlockPlan, MatchPlan, TournamentPlan, create_tournament

__all__ = [
    "MAX_ATTEMPTS",
    "BlockPlan",
    "FaultFact",
    "LeakFact",
    "LeasedMatch",
    "LeasedSeat",
    "MatchFact",
    "MatchPlan",
    "Progress",
    "TournamentPlan",
    "cancel",
    "create_tournament",
    "lease",
    "progress",
    "record_host_failure",
    "record_result",
    "record_results",
    "release",
]
