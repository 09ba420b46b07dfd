"""Every game keeps the contract, its invariants, features and golden files, and the checks see one that does not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from engine import golden, registry
from engine.abilities import Checks, Playable, need_playable
from engine.chance import Chance
from engine.conformance import Case, ConformanceError, cases, check_game
from engine.core import EngineError, Game, InvariantError, Observation, State
from engine.features import FeatureKind, FeaturePart, cells, flags, masks, numbers, packed, per_member, per_seat, reals
from engine.games.foreign_king import GAME as FOREIGN_KING
from engine.games.foreign_king.state import PHASES
from engine.games.rex_romanorum import GAME as REX_ROMANORUM
from engine.golden import actions_in
from engine.perft import breakdown
from tests.support import script_game
from tests.support.nim import LUCKY_NIM, NIM, Nim, NimState
from tests.support.simulations.invariants import play


def tiered(name: str) -> Iterator[Any]:
    """Every check of a game with the fewest and with the most seats, which repeat what was checked with the fewest."""
    game = registry.get(name)
    many = f"{name}-{game.seats[-1]}-"
    for case in cases(game):
        if not case.name.startswith(tuple(f"{name}-{seats}-" for seats in game.seats[1:-1])):
            yield pytest.param(case, marks=[pytest.mark.needs("minutes")] if case.name.startswith(many) else [])


@pytest.mark.parametrize("case", [case for name in registry.single_names() for case in tiered(name)], ids=str)
def test_a_game_keeps_the_contract(case: Case) -> None:
    case()


def test_one_call_checks_a_whole_game() -> None:
    check_game(NIM)


def refused_by(game: Game) -> set[str]:
    """The checks that the game does not pass, without its name and seats."""
    found = set()
    for case in cases(game):
        try:
            case()
        except ConformanceError:
            found.add(case.name.rpartition("-")[2])
    return found


def allows_too_much(state: NimState, action: int) -> bool:
    del state
    return 0 <= action < 3


CLONE = NimState.clone


def clone_wrongly(state: NimState, chance: Chance | None = None) -> NimState:
    copy = CLONE(state, chance)
    copy.turn += 1
    return copy


def shows_more(state: NimState, seat: int) -> dict[str, Any]:
    return {**state.to_json(), "you": seat}


@pytest.mark.parametrize(
    ("name", "broken", "check"),
    [
        ("is_legal", allows_too_much, "is_legal_agrees_with_the_list"),
        ("clone", clone_wrongly, "a_clone_is_equal_and_goes_its_own_way"),
        ("observation_json", shows_more, "what_is_hidden_is_said_to_be"),
        ("caretaker_action", lambda _state: 3, "the_caretaker_plays_legally_to_the_end"),
        ("legal_actions", lambda _state: [2, 1, 0], "legal_actions_are_sorted_and_empty_only_at_the_end"),
    ],
)
def test_a_position_that_breaks_the_contract_is_seen(
    name: str, broken: Callable[..., Any], check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NimState, name, broken)
    with pytest.raises(EngineError):
        next(case for case in cases(NIM) if case.name == f"nim-2-{check}")()


class Careless(Nim):
    """Takes any bytes, has a longer playing than it says, and values a position by no number from 0 to 1."""

    def __init__(self) -> None:
        super().__init__("nim", "Nim", is_lucky=False)
        self.max_plies = 3

    def observed(self, message: bytes) -> Observation:
        del message
        return Observation(self.new_state(2), 0)

    @property
    def playable(self) -> Playable:
        return Playable(evaluate_all=lambda state: [2.0] * state.seats)


def test_a_game_that_breaks_the_contract_is_seen() -> None:
    assert refused_by(Careless()) == {
        "a_determinized_position_looks_the_same_to_the_seat",
        "bytes_that_are_no_observation_are_refused",
        "evaluation_lies_between_lost_and_won_and_is_exact_at_the_end",
        "playings_are_bounded_and_ranked",
        "quick_actions_play_to_the_end",
        "the_caretaker_plays_legally_to_the_end",
        "the_wire_carries_the_observation",
    }


def test_a_game_of_the_tests_keeps_the_contract() -> None:
    for game in (script_game.GAME, NIM, LUCKY_NIM):
        check_game(game)


ROOT = Path(__file__).resolve().parents[2]
GAMES = [registry.get(name) for name in registry.single_names()]


def indices(game: Game) -> list[int]:
    """The games in which each number of seats and each variant comes at least once."""
    seats, variants = len(game.seats), len(registry.checks(game.name).variants)
    return [n % seats + seats * (n % variants) for n in range(max(seats, variants))]


PLAYINGS = [pytest.param(game, index, id=f"{game.name}-{index}") for game in GAMES for index in indices(game)]


@pytest.mark.parametrize(("game", "index"), PLAYINGS)
def test_every_position_of_a_random_game_keeps_the_invariants(game: Game, index: int) -> None:
    play(game, index)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_variants_are_options_of_the_game_the_defaults_first(game: Game) -> None:
    variants = registry.checks(game.name).variants
    assert dict(variants[0]) == {}
    assert len({str(game.options_json(game.parse_options(variant))) for variant in variants}) == len(variants)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_playing_has_some_decisions_and_not_more_than_plies(game: Game) -> None:
    assert all(0 < need_playable(game).usual_decisions(seats) < game.max_plies for seats in game.seats)


def test_a_breach_is_told_with_its_game_and_ply(monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES[0]

    def breach(state: State) -> None:
        raise InvariantError("pawns float")

    monkeypatch.setattr(registry, "checks", lambda _name: Checks(check_invariants=breach))
    with pytest.raises(InvariantError, match=rf"{game.name}, game 3, ply 1: pawns float"):
        play(game, 3)


@pytest.mark.usefixtures("script_game")
def test_a_game_that_knows_no_invariants_passes() -> None:
    play(registry.get("script"), 1)


def test_the_command_tells_how_the_games_ended() -> None:
    command = [sys.executable, "-m", "benchmarks.invariants", "--game", GAMES[0].name, "--games", "3"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"{GAMES[0].title}: 3 random games over" in told
    assert f"{GAMES[0].seats[0]} seats: 1 games, " in told


BUILT_IN = ["foreign_king", "rex_romanorum"]
HEAD = ["| planes | meaning | numbers |", "|---|---|---|"]


def of_any_seat(name: str) -> str:
    return re.sub(r"\+\d", "+k", name)


def table_of(game: Game) -> list[str]:
    """The rows of features.md: the parts of all numbers of seats, k standing for one of them."""
    rows: dict[str, tuple[list[str], str, set[int]]] = {}
    for seats in game.seats:
        assert game.featured is not None
        for part in game.featured.parts(seats, game.parse_options({})):
            found = [":k"] if part.name == "seat" else [of_any_seat(ending) for ending in part.endings]
            endings, _, most = rows.setdefault(of_any_seat(part.name), ([], part.meaning, set()))
            endings += [ending for ending in dict.fromkeys(found) if ending not in endings]
            most.add(part.most)
    return [*HEAD, *(row(name, *told) for name, told in rows.items())]


def row(name: str, endings: list[str], meaning: str, most: set[int]) -> str:
    first, *others = endings
    planes = ", ".join([f"`{name}{first}`", *(f"`{other}`" for other in others)])
    bounds = "0, 1" if most == {1} else f"0-{most.pop()}" if len(most) == 1 else "0-seats"
    return f"| {planes} | {meaning} | {bounds} |"


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_folder_of_a_game_says_what_every_plane_means(name: str) -> None:
    spec = find_spec(f"engine.games.{name}")
    assert spec is not None
    assert spec.origin is not None
    told = Path(spec.origin).with_name("features.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in told if line.startswith("|")] == table_of(registry.get(name))


@pytest.mark.parametrize(
    ("part", "kind", "planes", "width"),
    [
        (cells("a", "", 9), FeatureKind.CELLS, ("a",), 5),
        (cells("a", "", 9, per_seat(2)), FeatureKind.CELLS, ("a+0", "a+1"), 10),
        (packed("a", "", 7, per_member("MT"), bits=3), FeatureKind.CELLS, ("a:M", "a:T"), 5),
        (masks("a", "", per_seat(2)), FeatureKind.MASKS, ("a+0", "a+1"), 2),
        (numbers("a", "", 9, per_seat(3)), FeatureKind.NUMBERS, ("a+0", "a+1", "a+2"), 3),
        (flags("a", "", per_member("xyz")), FeatureKind.FLAGS, ("a:x", "a:y", "a:z"), 1),
        (reals("a", "", per_member("01")), FeatureKind.REALS, ("a:0", "a:1"), 10),
    ],
)
def test_a_part_has_a_name_for_each_plane_and_takes_so_many_numbers(
    part: FeaturePart, kind: FeatureKind, planes: tuple[str, ...], width: int
) -> None:
    assert (part.kind, part.planes, part.width(5)) == (kind, planes, width)


TABLES = [(name, seats) for name in registry.single_names() for seats in registry.get(name).seats]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_sequences_of_decisions_are_counted_as_before(name: str, seats: int) -> None:
    written = json.loads(golden.read(name, golden.PERFT))
    assert golden.golden_of(name).perft_counts(seats) == written[str(seats)]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_whole_playing_goes_as_before_line_by_line(name: str, seats: int) -> None:
    written = golden.read(name, golden.playthrough_file(seats)).splitlines()
    actions = actions_in(registry.get(name).actions, written)
    found = golden.golden_of(name).playthrough_lines(seats, lambda _: next(actions))
    for number, (line, expected) in enumerate(zip(found, written, strict=True), start=1):
        assert line == expected, f"line {number}"


@pytest.mark.parametrize("name", registry.single_names())
def test_every_game_tells_its_rules_beside_its_code(name: str) -> None:
    folder = Path(golden.golden_of(name).__file__).parents[1]
    rules = (folder / "README.md").read_text(encoding="utf-8")
    listed = {path.name for path in folder.glob("*.json")}
    assert all(f"`{file}`" in rules for file in listed), "the list of files in the README"


def test_every_kind_of_action_is_taken_in_the_playings() -> None:
    files = [golden.read(REX_ROMANORUM.name, golden.playthrough_file(seats)) for seats in REX_ROMANORUM.seats]
    taken = {action for text in files for action in actions_in(REX_ROMANORUM.actions, text.splitlines())}
    verbs = {REX_ROMANORUM.actions.format(action).partition(":")[0] for action in taken}
    assert verbs == {name.partition(":")[0] for name in REX_ROMANORUM.actions.names}


def test_the_start_has_two_actions_and_drawing_eight() -> None:
    # ACT_ACQUIRE with KEEP:0 to KEEP:7, and ACT_HARVEST before the next seat's two.
    counts = json.loads(golden.read(REX_ROMANORUM.name, golden.PERFT))
    assert counts["5"]["start"][:2] == [2, 8 + 2]


FOREIGN_KING_COUNTS: dict[str, list[int]] = json.loads(golden.read(FOREIGN_KING.name, golden.PERFT))

# Section 9 of the rules, from an independent implementation.
FOREIGN_KING_INDEPENDENTLY = {2: [5, 41, 167], 3: [6, 47, 222], 4: [7, 55, 295]}


@pytest.mark.parametrize("seats", FOREIGN_KING.seats)
def test_sequences_of_decisions_as_an_independent_implementation_counts_them(seats: int) -> None:
    assert FOREIGN_KING_COUNTS[str(seats)][:3] == FOREIGN_KING_INDEPENDENTLY[seats]


def test_the_breakdown_adds_up() -> None:
    assert sum(breakdown(FOREIGN_KING.new_state(4), 4).values()) == FOREIGN_KING_COUNTS["4"][3]


def test_the_playings_come_through_every_phase() -> None:
    phases = set()
    for seats in FOREIGN_KING.seats:
        state = FOREIGN_KING.new_state(seats)
        for action in actions_in(
            FOREIGN_KING.actions, golden.read(FOREIGN_KING.name, golden.playthrough_file(seats)).splitlines()
        ):
            phases.add(PHASES[state.phase])
            state.apply(action)
        phases.add(PHASES[state.phase])
    assert phases == set(PHASES)
