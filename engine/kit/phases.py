"""The phase table: what may be done in each phase, who does it, and what a phase needs on the table. No I/O.

A game's `rules/phases.py` says what is done in the phases that its `state.py` names:

    PhaseTable(
        NimState,
        PHASES,
        {TAKE: Phase(legal=take.legal, is_legal=take.is_legal, apply=take.apply), END: OVER},
        actions=len(ACTIONS),
        outcome=scoring.outcome,
    )

Making the table gives the class its moves, so that a decision costs one look into a tuple. The class is declared below
the rules, which import it; the game's `__init__.py` imports the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Final

from engine.core import Outcome, PositionError, State
from engine.mypyc_support import give_methods, mypyc_attr

Legal = Callable[[Any], Sequence[int]]
Legality = Callable[[Any, int], bool]
Apply = Callable[[Any, int], None]

_DECLARED_BY_THE_GAME: Final = ()


@mypyc_attr(allow_interpreted_subclasses=True)
class PhasedState(State):
    """A position that is in one of a few phases. Its moves come from the game's `PhaseTable`."""

    __slots__ = _DECLARED_BY_THE_GAME

    seats: int
    phase: int
    """Index into the table."""
    decider: int | None
    """The seat that decides; None at the end."""
    active: int
    """The seat whose turn it is."""
    legal: Sequence[int] | None
    """The legal actions once they were asked for; None before."""
    revelations: Sequence[Any]
    """What chance revealed in the last action, where the table says that it reveals something."""
    phases: ClassVar[PhaseTable | None] = None

    # A class that is not compiled is given quicker ones when its table is made (`_drive`).

    def seat(self) -> int | None:
        return self.decider

    def legal_actions(self) -> Sequence[int]:
        table = self.table()
        found = self.legal
        if found is None:
            found = self.legal = table.legal_in(self)
        return found

    def is_legal(self, action: int) -> bool:
        return self.table().is_legal_in(self, action)

    def apply_unchecked(self, action: int) -> None:
        table = self.table()
        self.legal = None
        if table.reveals and self.revelations:
            self.revelations = ()
        table.apply_in(self, action)

    def begin(self) -> None:
        """Do what comes before the first decision of a game."""
        self.table().begin(self)

    def outcome(self) -> Outcome | None:
        return self.table().outcome(self)

    def caretaker_action(self) -> int:
        return self.table().caretaker_action(self)

    def check_phase(self) -> None:
        """Raise PositionError unless play could have come to this phase with this table."""
        self.table().check(self)

    def table(self) -> PhaseTable:
        """Return the phase table of the class. Raises NotImplementedError if nobody made it.

        A class that is compiled may know it without a look into itself (`KnownTable`).
        """
        table = self.phases
        if table is None:
            raise NotImplementedError("the phase table of this game is not loaded")
        return table


def nothing_legal(state: Any) -> Sequence[int]:
    """Return no action: the game is over."""
    del state
    return ()


def never_legal(state: Any, action: int) -> bool:
    """Return False: the game is over."""
    del state, action
    return False


def active_seat(state: Any) -> int | None:
    """Return the seat whose turn it is."""
    seat: int = state.active
    return seat


def nobody(state: Any) -> int | None:
    """Return None: the game is over."""
    del state
    return None


def fits(state: Any) -> None:
    """Accept every table."""
    del state


@dataclass(frozen=True, slots=True)
class Phase:
    """What is done in one phase; by default nothing, as at the end of a game."""

    legal: Legal = nothing_legal
    """`(state)`: the legal ids, ascending."""
    is_legal: Legality = never_legal
    """`(state, action)`: whether any int is one of them."""
    apply: Apply | Mapping[Any, Apply] | None = None
    """`(state, action)`: carries out a legal action; or such functions by action id or range of ids."""
    _: KW_ONLY
    decides: Callable[[Any], int | None] = active_seat
    """`(state)`: who decides, as the rest of the table says."""
    caretaker: int | None = None
    """What a forfeited seat plays if it is legal; else, or if None, the first legal action."""
    check: Callable[[Any], None] = fits
    """`(state)`: raises PositionError if play cannot come to this phase with this table."""


OVER: Final = Phase(decides=nobody)
"""The phase after the end."""


@mypyc_attr(allow_interpreted_subclasses=True)
class PhaseTable:
    """The phases of a game by their numbers."""

    def __init__(
        self,
        kind: type[Any],
        names: Sequence[str],
        phases: Mapping[int, Phase],
        *,
        actions: int,
        outcome: Callable[[Any], Outcome],
        begin: Callable[[Any], None] = fits,
        reveals: bool = False,
    ) -> None:
        """Give the class `kind` the moves of `phases`, which are numbered as in `names`.

        `actions` is the length of the game's action table; `outcome(state)` is the result of a finished game, and
        `begin(state)` does what comes before the first decision. With `reveals` positions have a sequence
        `revelations`, which is emptied before each action.
        """
        self.kind = kind
        self.names = tuple(names)
        self._phases: tuple[Phase, ...] = tuple(phases[number] for number in range(len(names)))
        self._outcome = outcome
        self.begin = begin
        self.reveals = reveals
        self.legal: tuple[Legal, ...] = tuple(phase.legal for phase in self._phases)
        self.legality: tuple[Legality, ...] = tuple(phase.is_legal for phase in self._phases)
        self.applications = tuple(_by_action(phase.apply, actions) for phase in self._phases)
        _drive(kind, self)
        kind.phases = self

    # A compiled position asks these, which a game overrides by direct calls (`engine.kit.calling`).

    def legal_in(self, state: PhasedState) -> Sequence[int]:
        """Return what is legal, as the phase of the position says."""
        return self.legal[state.phase](state)

    def is_legal_in(self, state: PhasedState, action: int) -> bool:
        """Tell whether any int is legal, as the phase of the position says."""
        return self.legality[state.phase](state, action)

    def apply_in(self, state: PhasedState, action: int) -> None:
        """Carry out a legal action, as the phase of the position says."""
        self.applications[state.phase][action](state, action)

    def outcome(self, state: Any) -> Outcome | None:
        """Return the result of the game, or None before its end."""
        return self._outcome(state) if state.decider is None else None

    def caretaker_action(self, state: Any) -> int:
        """Return what a forfeited seat plays."""
        legal: Sequence[int] = state.legal_actions()
        preferred = self._phases[state.phase].caretaker
        return preferred if preferred is not None and preferred in legal else legal[0]

    def check(self, state: Any) -> None:
        """Raise PositionError unless decider and table fit the phase of a position that came from outside."""
        name, phase = self.names[state.phase], self._phases[state.phase]
        decider = phase.decides(state)
        if state.decider != decider:
            raise PositionError(f"seat: in {name} {decider} decides, not {state.decider}")
        phase.check(state)
        if state.decider is not None and not state.legal_actions():
            raise PositionError(f"phase {name}: there is no legal action; somebody must be able to act")


class KnownTable:
    """Holds the phase table of one class, for the class to find it at once."""

    table: PhaseTable


def _drive(kind: type[Any], table: PhaseTable) -> None:
    """Set the methods through which a position moves, each with what it needs of the table at hand."""
    legal, legality, applications = table.legal, table.legality, table.applications

    def seat(self: Any) -> int | None:
        decider: int | None = self.decider
        return decider

    def legal_actions(self: Any) -> Sequence[int]:
        found: Sequence[int] | None = self.legal
        if found is None:
            found = self.legal = legal[self.phase](self)
        return found

    def is_legal(self: Any, action: int) -> bool:
        is_it: bool = legality[self.phase](self, action)
        return is_it

    def apply_unchecked(self: Any, action: int) -> None:
        self.legal = None
        applications[self.phase][action](self, action)

    def apply_and_reveal(self: Any, action: int) -> None:
        self.legal = None
        if self.revelations:
            self.revelations = ()
        applications[self.phase][action](self, action)

    apply = apply_and_reveal if table.reveals else apply_unchecked
    give_methods(kind, seat=seat, legal_actions=legal_actions, is_legal=is_legal, apply_unchecked=apply)


def _by_action(apply: Apply | Mapping[Any, Apply] | None, actions: int) -> tuple[Apply, ...]:
    if not isinstance(apply, Mapping):
        return (apply,) * actions if apply else ()
    table: list[Any] = [None] * actions
    for ids, function in apply.items():
        for action in ids if isinstance(ids, range) else (ids,):
            table[action] = function
    return tuple(table)
