"""The Foreign King, Javier Garcia, Giochix 2015, 2 to 4 seats: `GAME`, and the manual of its data.

The rules in words stand in README.md beside this file. Comments in the code cite them by the numbers of the
specification: R the canonical rules, A and C the decided doubts and contradictions of the editions, K clarifications.

History of `rules_version`
    "1"  first version.

Actions
    The 137 ids and their notation stand in actions.py; they never change for a released version.

Options (`Game.parse_options`; values or their texts, booleans also as "yes" and "no")
    rulebook           canonical | en | de | it | fr: whose switches are the defaults of the others
    queen_scope        any | occupied_by_others
    congress_on_empty  false | true
    virtual_discs      15 | 16
    virtual_can_win    true | false
    bank               "unlimited" | 37 | 41
    max_rounds         1 to 1000, by default 100

A position as JSON (`State.to_json`, `observation_json`, `Game.state_from_json`, version 1). Colours are the seats in
order and, with 2 seats, the virtual player after them. Every key must be there; options may be partial.
    game, version      "foreign_king", 1
    seats              2, 3 or 4
    options            as above
    phase              TURN, QUEEN_SUB, BUILD, PLACE_P, PLACE_N, MOVE_FROM, MOVE_TO, CONGRESS, KING_TO, KING_LEN,
                       CONGRESS_ASK, INACTIVATE, VIRT, VIRT_TO, POST, ORDER, END
    seat               the seat that decides; null at the END
    active             the seat whose turn it is; in ORDER the claimant
    round              from 1
    order              seats in turn order
    king               a province, or "portrait"
    marker             30 down to 0
    scores, hand       per colour; the virtual player's hand is its supply
    congress           discs there, per seat
    discs              per province: discs per colour
    francs             per seat
    medals, loans      per seat: medals held, either side up; those of them face down, each an open loan
    pawns              per seat: "ACT_..." or null before its first turn
    factories          per province: {"M", "T"} active, {"m", "t"} inactive metallurgical and textile factories
    supply             {"M", "T"}: factories not yet built
    claims             seats that may still change the order this round, in the order of their claims
    pending            what the phase needs beyond that, {} in the others:
                       PLACE_N, KING_LEN   {"province"}: the destination
                       MOVE_TO             {"province", "steps", "last"}: the source, steps so far, the last destination
                                           (a province, "hand", or null before the first)
                       CONGRESS_ASK        {"asked"}: seats still to be asked, the decider first
                       VIRT                {"units"}: units left
                       VIRT_TO             {"units", "province"}: units left with the one in hand, its source
                       POST                {"used"}: "LOAN" or "REPAY" once one was used in it, else null

Details of an outcome (`Outcome.details`)
    end                every end condition that holds: "marker", "factories"; "max_rounds" alone is the cap
    rounds             the round in which the game ended
    scores             final victory points per seat
    medals             per seat, for ties
    breakdown          points per seat by component: play, loans, control, medals, congress, francs; they make `scores`
    virtual            with 2 seats {"score", "breakdown": {play, control, provinces, industrialized}}, else null
    virtual_won        whether the virtual player is strictly above both seats
    virtual_shares     whether it is level with the best seat and that seat has no medal
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.games.foreign_king.actions import ACTIONS
from engine.games.foreign_king.options import HIGHEST_CAP, OPTIONS
from engine.kit.game_folder import FolderGame

if TYPE_CHECKING:
    from engine.games.foreign_king.state import ForeignKingState

# No playing is longer, by adding up what a turn can hold. Medals are at most 9, so TURN has at most 9 LOANs and POST at
# most 9 LOANs or REPAYs and one END_TURN. An action is chosen at most twice (the Queen). The longest action but the
# King's units is a Move: MOVE_FROM, at most 15 discs that leave their source for good, MOVE_STOP. A round has at most
# two ORDER decisions (A26). Units (two plies each) are fewer than points in play: 45 from factories, and floor(15 / 3)
# in each of at most 16 scorings (A5).
_TURN_PLIES = 9 + 9 + 1 + 2 + (1 + 15 + 1)
_ROUND_PLIES = 4 * _TURN_PLIES + 2
_UNIT_PLIES = 2 * (45 + 16 * 5)


class ForeignKing(FolderGame["ForeignKingState"]):
    """The Foreign King."""

    name = "foreign_king"
    title = "The Foreign King"
    rules_version = "1"
    seats = range(2, 5)
    actions = ACTIONS
    options = OPTIONS
    max_plies = HIGHEST_CAP * _ROUND_PLIES + _UNIT_PLIES

    def opening_plies(self, seats: int) -> int:
        """Return about one round of turns."""
        return 3 * seats


GAME: Final = ForeignKing(__name__)
