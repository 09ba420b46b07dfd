"""How an election went on because of a move: ballots, dice for a tie, who was elected."""

from __future__ import annotations

from collections.abc import Iterator

from engine.abilities import Move
from engine.games.rex_romanorum import actions as ids
from engine.games.rex_romanorum.state import BISHOP_VOTE, END, NOTHING, STAND, Election, RexState
from engine.games.rex_romanorum.view.voice import Voice


def tell_election(spoken: Voice, move: Move) -> Iterator[str]:
    """Yield the sentences; none if no election was under way, or it just goes on."""
    before, after = move.before, move.after
    if before.election is not None and (after.election is None or after.phase == END):
        yield from _bishop(spoken, move) if before.election.diocese != NOTHING else _king(spoken, move)
    elif before.election is not None and after.election.is_runoff and not before.election.is_runoff:
        yield spoken.sentence("runoff", who=spoken.houses(after.election.ballot))
    if after.is_final and not before.is_final:
        yield spoken.sentence("final")
    if before.election is not None and after.election is not None and before.is_final is not after.is_final:
        return


def _candidates(move: Move) -> list[int]:
    """Return who stood, with the answer of the last one asked."""
    election: Election = move.before.election
    stands = move.before.phase == STAND and move.action == ids.STAND
    return [*election.candidates, move.seat] if stands else list(election.candidates)


def _bishop(spoken: Voice, move: Move) -> Iterator[str]:
    state: RexState = move.before
    diocese = move.before.election.diocese
    if not _candidates(move):
        yield spoken.sentence("nobody")
        return
    if move.before.phase == BISHOP_VOTE:
        yield from _tie(spoken, move)
    holder = move.after.titles[diocese]
    key = "reelected" if holder == state.titles[diocese] else "title"
    yield spoken.sentence(key, who=spoken.house(holder), title=spoken.title(diocese))


def _tie(spoken: Voice, move: Move) -> Iterator[str]:
    """Yield the dice of those who tied, throw by throw."""
    rolling = list(move.before.election.ballot)
    key = "tie"
    for seen in move.chance:
        thrown = [
            spoken.phrase("die", who=spoken.house(seat), die=die)
            for seat, die in zip(rolling, seen.values, strict=True)
        ]
        yield spoken.sentence(key, dice=", ".join(thrown))
        highest = max(seen.values)
        rolling = [seat for seat, die in zip(rolling, seen.values, strict=True) if die == highest]
        key = "reroll"


def _king(spoken: Voice, move: Move) -> Iterator[str]:
    after: RexState = move.after
    if after.phase != END:
        yield spoken.sentence("no_king" if _candidates(move) else "nobody")
    elif after.king == NOTHING:
        yield spoken.sentence("end")
    else:
        votes = spoken.count("votes", after.options.votes_to_win)
        yield spoken.sentence("king", who=spoken.house(after.king), votes=votes)
