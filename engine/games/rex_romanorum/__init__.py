"""Rex Romanorum - König der Römer, Jens Puhle, rules of 29.09.2022, 2 to 5 seats: `GAME`, and the manual of its data.

The rules in words stand in README.md beside this file, with what is reconstructed. Comments in the code cite them by
the numbers of the specification: A to D and S the decided gaps, K clarifications, else a section number (4.2, 6.1.5).

History of `rules_version`
    "1"  first version.

Actions
    The 1038 ids and their notation stand in actions.py; they never change for a released version. Kinds of figures are
    F foot, A archers, K knights.

Options (`Game.parse_options`): `variant` (full | short), `round_limit` (1 to 300, by default 60) and every other key of
    choices.json, with its shape. Blocks merge: {"harvest": {"cap": 50}} leaves the rest of `harvest` as it is. Numbers
    may be texts, blocks and lists JSON texts. What each means is in `Game.options_schema`.

A position as JSON (`State.to_json`, `Game.state_from_json`, version 1). Every key must be there; options may be
partial.
    game, version      "rex_romanorum", 1
    seats              2 to 5
    options            as above
    phase              TURN, KEEP, GARRISON, BUILD, MOVE_FROM, MOVE_TO, COUNT, PLACE, RAZE, FIGHT, FIGHT_ON, STAND,
                       BISHOP_VOTE, OFFER, KING_VOTE, END
    seat               the seat that decides; null at the END
    active             the seat whose turn it is
    round              from 1
    final              whether the royal election after the last round is, or was, held
    king               seat, or null
    gold               per seat
    titles             {mainz, koeln, trier, pfalz, sachsen, brandenburg, boehmen}: seat, or null
    owners             seat by region; regions that nobody owns are left out
    churches           {mainz, koeln, trier}: regions
    castles            regions
    figures            number by figures, which are written "K:mainz": knights in Mainz. They are the region owner's;
                       while he moves, those that have not moved
    discards, drawn    regions of the cards rejected, oldest first, and of those just drawn, in order
    pile               regions, the top first
    pending            null in TURN and at the END; else the action that is carried out:
                       action         "ACT_..."
                       bought         regions just bought
                       built          the CHURCH and CASTLE actions so far
                       source         figures that are moving; null when they are placed
                       target         the region they move to, or figures that are placed; in RAZE and FIGHT_ON the
                                      region it is about
                       last, last_to  the last source or placement (figures), the region the last move ended in
                       arrived        number by figures that have moved; in foreign regions they are the attackers
                       undefended     attacked regions still to be conquered without a fight
                       contested      attacked regions still to be fought for
    election           null outside elections; else:
                       diocese        null is the royal election
                       asked          seats in the order in which they are asked to stand, and then vote for a bishop
                       at             index of who is asked: into `candidates` in OFFER, else into `asked`
                       candidates     in the order of candidacy
                       ballot         those of the ballot under way
                       runoff         whether it is the second
                       votes          per seat, in this ballot
                       cast, lowest   votes the deciding owner has cast in it, the seat of his last one
                       elector        how many of the king's electors are done with: index into `vote_order`
                       offers         per seat, to the elector who votes next

An observation (`State.observation_json`, the same for every seat) has `pile_set`, the regions in the pile in the
board's order, and `pile_size` in place of `pile`: the order is hidden, everything else open.

What chance reveals (`State.revealed`)
    card               the regions drawn, by index
    d6                 one for each step of a round of fighting in which somebody rolled, and for each throw for a tie

Details of an outcome (`Outcome.details`)
    king               seat, or null
    richest            the seats with most wealth
    wealth             per seat
    rounds             the round in which the game ended

Tools (`Game.tools`)
    odds               how likely an attack wins: odds 8F 3A --castle
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.games.rex_romanorum.actions import ACTIONS
from engine.games.rex_romanorum.board import NEIGHBOURS, REGION_COUNT, TITLE_COUNT, regions_of
from engine.games.rex_romanorum.options import MOST_GOLD, MOST_ROUNDS, OPTIONS
from engine.kit.game_folder import FolderGame

if TYPE_CHECKING:
    from engine.abilities import Tools
    from engine.games.rex_romanorum.state import RexState


# How long a game can be at most.
#
# A turn of another kind than an attack has, at most: ACQUIRE 2 plies, then PLACE and COUNT for 2 kinds in 3 regions and
# PLACE_DONE: 15. BUILD: 1, the most buildings and BUILD_DONE. MUSTER: 1, three plies (from, to, how many) for each way
# (kind, source, target), which comes once per action (K9), MOVE_DONE, two plies for each kind and region placed,
# PLACE_DONE. BISHOP: 1, a STAND for each seat, two ballots of a vote for each church. KING: 1, a STAND for each seat,
# for each elector an offer of each candidate and a vote. MUSTER is the longest of these by far.
#
# An attack has the plies of MUSTER's moves, and a RAZE, a FIGHT and a RETREAT for each region.
#
# FIGHT_ON comes on top of that. A round of fighting in which somebody falls: figures are paid for with at least 1 gold
# each, and gold comes from the start and from harvests of at most the cap, so at most `_FIGURES` ever fall. Rounds in
# which nobody falls: only the dice bound them. Both sides have a figure, each hits with at least 1/6, so a round misses
# with at most (5/6)^2 = 25/36, and 1000 rounds in a row with less than 10^-158 (C17). Allowing 1000 rounds for each
# figure that falls and for each fight, the bound fails with less than 10^-140: it is no limit that play can meet.
_SEATS: Final = 5
_ROUNDS_PER_FALL: Final = 1000


def _ways_from(region: int) -> int:
    """Return the number of regions within two steps: `move` may be 2 for every kind."""
    reached = NEIGHBOURS[region]
    for through in regions_of(reached):
        reached |= NEIGHBOURS[through]
    return reached.bit_count() - 1


_WAYS: Final = 3 * sum(_ways_from(region) for region in range(REGION_COUNT))
_TURN_PLIES: Final = 1 + 3 * _WAYS + 1 + 2 * 3 * REGION_COUNT + 1 + 3 * REGION_COUNT
_FIGURES: Final = _SEATS * (MOST_GOLD + MOST_GOLD * MOST_ROUNDS)
_FIGHTS: Final = _SEATS * MOST_ROUNDS * REGION_COUNT
_LAST_ELECTION: Final = _SEATS + TITLE_COUNT * _SEATS

_MAX_PLIES: Final = _SEATS * MOST_ROUNDS * _TURN_PLIES + _ROUNDS_PER_FALL * (_FIGURES + _FIGHTS) + _LAST_ELECTION


class RexRomanorum(FolderGame["RexState"]):
    """The game as the registry hands it out; its other parts are found in the folder by their names."""

    name = "rex_romanorum"
    title = "Rex Romanorum"
    rules_version = "1"
    seats = range(2, 6)
    actions = ACTIONS
    options = OPTIONS
    max_plies = _MAX_PLIES
    has_chance = True
    has_hidden_information = True

    @property
    def tools(self) -> Tools:
        """Return the command `odds`, which tells how likely an attack wins."""
        from engine.games.rex_romanorum.odds_tool import main

        return {"odds": main}


GAME: Final = RexRomanorum(__name__)
