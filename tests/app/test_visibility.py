"""Nothing of a match leaks while another match with the same chance is not over, and no evidence to other owners."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from arena.app.arena import LocalArena
from arena.app.policy import Viewer, has_secrets, is_hidden
from arena.model.errors import ClientError, ForbiddenError, HiddenError
from arena.tournament.formats import catalog
from arena.tournament.formats.format import blocks_per_seed
from arena.tournament.locks import hold
from ratings.values.states import Fared, MatchState, Scope
from tests.app.world import BOTS, CHANCE_SEED, SECRET, SEED, World, make_world, marks_of, text_of

GAME = "rex_romanorum"
MATCHES = 8
EVERYBODY = ("organiser", "ann", "ben", "viewer")
STRANGERS = ("ann", "ben", "viewer")

PHASES = (Phase.explicit, Phase.generate)
"""A smaller example would tell no more, and looking for one takes many databases."""

positions = st.sets(st.integers(0, MATCHES - 1))


def viewer_of(world: World, name: str) -> Viewer:
    if name == "organiser":
        return Viewer()
    return Viewer(Scope.VIEWER) if name == "viewer" else world.owner(name)


def answers(arena: LocalArena, ids: dict[int, str]) -> Iterator[str]:
    """What every read answers, as text; a refusal by its message."""
    whole: list[Callable[[], Any]] = [
        arena.tournaments.list_tournaments,
        lambda: arena.tournaments.get_tournament("rex"),
        lambda: arena.tournaments.list_standings("rex"),
        lambda: arena.tournaments.list_leak_checks("rex"),
        lambda: arena.tournaments.get_progress("rex"),
        arena.matches.list_matches,
        lambda: arena.matches.list_matches("rex", state=MatchState.FINISHED),
        lambda: arena.matches.list_matches(fault="TIMEOUT"),
        lambda: arena.matches.list_matches(least_plies=1),
        lambda: arena.tournaments.list_pairings("rex"),
        lambda: arena.tournaments.list_confidence("rex"),
        *(
            lambda bot=bot, fared=fared, limit=limit: arena.matches.list_matches(bot=bot, fared=fared, limit=limit)
            for bot in BOTS
            for fared in Fared
            for limit in (1, 50)
        ),
        arena.leaderboards.list_leaderboards,
        lambda: arena.statistics.get_crosstable("rex"),
        lambda: arena.statistics.list_seats(tournament="rex"),
        lambda: arena.statistics.list_lengths(tournament="rex"),
        lambda: arena.statistics.list_opponents("dog", tournament="rex"),
        lambda: tuple(arena.replays.verify_matches("rex")),
        *(lambda bot=bot: arena.statistics.list_history(bot) for bot in BOTS),
        *(lambda bot=bot: tuple(arena.replays.download_replays(bot)) for bot in BOTS),
        *(lambda bot=bot: arena.matches.list_matches(bot=bot) for bot in BOTS),
    ]
    alone = (arena.matches.get_match, arena.matches.get_times, arena.matches.get_logs, arena.replays.get_replay)
    each = [lambda ask=ask, id_=id_: ask(id_) for id_ in ids.values() for ask in alone]
    yield from (answer(ask) for ask in [*whole, *each])


def answer(ask: Callable[[], Any]) -> str:
    try:
        return text_of(ask())
    except (HiddenError, ForbiddenError, LookupError, ValueError) as error:
        return str(error)
    except Exception as error:
        if "nothing was rated" in str(error):
            return str(error)
        raise


def ids_of(world: World) -> dict[int, str]:
    """The ids of the matches that are over, by position."""
    page = world.asked_by(Viewer()).matches.list_matches("rex", state=MatchState.FINISHED)
    return {row.position - 1: row.id for row in page.items}


@pytest.mark.hostile("read-the-chance-of-a-block-in-its-pages")
@pytest.mark.parametrize("examples", [3, pytest.param(8, marks=pytest.mark.needs("minutes"))])
def test_nothing_of_a_match_leaks_before_all_that_share_its_chance_are_over_and_evidence_only_to_the_owner(
    empty: Path, examples: int
) -> None:
    @settings(max_examples=examples, phases=PHASES)
    @given(over=positions, who=st.sampled_from(EVERYBODY), is_comparison=st.booleans())
    @example(over={0, 1}, who="ann", is_comparison=False)
    def nothing_leaks(over: set[int], who: str, is_comparison: bool) -> None:
        with (
            tempfile.TemporaryDirectory() as place,
            make_world(empty, Path(place), over, game=GAME, is_comparison=is_comparison) as world,
        ):
            shown = " ".join(answers(world.asked_by(viewer_of(world, who)), ids_of(world)))
            hidden = set() if who == "organiser" else world.open_positions() & over
        for position in over:
            seen = [text for text in marks_of(position) if text in shown]
            assert not seen if position in hidden else len(seen) == len(marks_of(position)), (position, seen)
        if who != "organiser" and len(over) < MATCHES:
            assert str(SEED) not in shown
            assert SECRET not in shown
        if len(over) < MATCHES:
            assert str(CHANCE_SEED)[:-2] not in shown
        for bot in BOTS if who != "organiser" else ():
            if not bot.startswith(f"{who}/"):
                assert f"proof of {bot}" not in shown
                assert f"log of {bot}" not in shown
        if who == "ann" and {0, 1} <= over and not is_comparison:
            assert "proof of ann/fox" in shown
            assert "log of ann/fox" in shown

    nothing_leaks()


def test_a_hidden_match_is_listed_without_ranks_and_says_why(empty: Path, tmp_path: Path) -> None:
    with make_world(empty, tmp_path, {0}, game=GAME) as world:
        (row,) = world.asked_by(world.owner("ann")).matches.list_matches("rex", state=MatchState.FINISHED).items
        assert row.hidden
        assert "shown when every other match of its block is over" in row.why_hidden
        assert [seat.rank for seat in row.seats] == [None, None]
        (seen,) = world.asked_by(Viewer()).matches.list_matches("rex", state=MatchState.FINISHED).items
        assert (seen.hidden, seen.why_hidden) == (False, "")
        assert [seat.rank for seat in seen.seats] == [1, 2]


@pytest.mark.parametrize(
    ("is_comparison", "steps"),
    [
        # Only the other match of the first block has its chance to itself when the first is over.
        (False, [({0}, {0, 2, 3, 4, 5, 6, 7}), ({0, 3, 4, 5}, {0, 3, 6, 7})]),
        # The second block of a pair of a comparison has the same chance.
        (True, [({0, 1}, set(range(8))), ({0, 1, 2}, {0, 1, 2, 4, 5, 6, 7})]),
    ],
)
def test_a_match_may_be_watched_when_no_other_match_will_meet_its_chance(
    empty: Path, tmp_path: Path, is_comparison: bool, steps: list[tuple[set[int], set[int]]]
) -> None:
    with make_world(empty, tmp_path, set(), game=GAME, is_comparison=is_comparison) as world:
        seeds = [block.chance_seed for block in world.blocks for _ in block.rotations()]
        done: set[int] = set()
        for over, hidden in steps:
            world.play_on(over - done)
            done = over
            for who in STRANGERS:
                arena = world.asked_by(viewer_of(world, who))
                rows = {row.id: row for row in arena.matches.list_matches("rex").items}
                places = {id_: row.position - 1 for id_, row in rows.items()}
                shown = {place: arena.matches.get_match(id_) for id_, place in places.items()}
                assert {places[id_] for id_, row in rows.items() if row.hidden} == hidden
                assert {place for place, match in shown.items() if match.hidden} == hidden
                for place, match in shown.items():
                    pending = [
                        other
                        for other in range(MATCHES)
                        if other not in {*over, place} and seeds[other] == seeds[place]
                    ]
                    assert [places[other] for other in match.awaits] == pending


def test_matches_of_remote_pools_have_a_chance_of_their_own_and_hide_nothing(empty: Path, tmp_path: Path) -> None:
    with make_world(empty, tmp_path, {0}, game=GAME, is_remote=True) as world:
        arena = world.asked_by(Viewer(Scope.VIEWER))
        for row in arena.matches.list_matches("rex").items:
            assert not row.hidden
            assert not arena.matches.get_match(row.id).hidden


def test_the_events_of_a_match_with_hidden_parts_are_told_to_nobody_else_while_it_goes_on(
    empty: Path, tmp_path: Path
) -> None:
    with make_world(empty, tmp_path, {0}, game=GAME) as world:
        (going,) = [row for row in world.asked_by(Viewer()).matches.list_matches("rex").items if row.position == 2]
        assert not world.asked_by(Viewer(Scope.VIEWER)).matches.get_match(going.id).hidden
        for who in STRANGERS:
            arena = world.asked_by(viewer_of(world, who))
            with pytest.raises(HiddenError, match="told move by move when it is over"):
                arena.watchable.look(going.id)
        assert not world.asked_by(Viewer()).watchable.look(going.id).is_over


def test_the_standings_of_strangers_count_whole_blocks_only(empty: Path, tmp_path: Path) -> None:
    with make_world(empty, tmp_path, {0, 1, 2}, game=GAME) as world:
        counts = {
            who: sum(
                row.matches for row in world.asked_by(viewer_of(world, who)).tournaments.get_tournament("rex").standings
            )
            for who in ("organiser", "ann")
        }
    assert counts == {"organiser": 6, "ann": 4}


def test_a_game_without_chance_hides_nothing(empty: Path, tmp_path: Path) -> None:
    with make_world(empty, tmp_path, {0}, game="foreign_king") as world:
        (row,) = world.asked_by(Viewer(Scope.VIEWER)).matches.list_matches("rex", state=MatchState.FINISHED).items
    assert not row.hidden
    assert [seat.rank for seat in row.seats] == [1, 2]


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("secrets", [True, False])
@pytest.mark.parametrize("is_open", [True, False])
def test_only_secrets_of_open_blocks_are_hidden_and_never_from_organisers(
    scope: Scope, secrets: bool, is_open: bool
) -> None:
    hidden = is_hidden(Viewer(scope), has_secrets=secrets, is_open=is_open)
    assert hidden == (secrets and is_open and scope is not Scope.ORGANISER)


def test_a_game_that_is_not_installed_may_have_secrets() -> None:
    assert has_secrets("a game of the future")
    assert has_secrets(GAME)
    assert not has_secrets("foreign_king")


def test_no_format_lets_more_blocks_share_their_chance_than_are_looked_at() -> None:
    forms = [catalog.kind_of(name)(seats) for name in catalog.NAMES for seats in (2, 3, 4, 5)]  # type: ignore[misc]
    assert max(map(blocks_per_seed, forms)) <= 2


def test_what_is_hidden_is_not_watched_either_and_what_goes_on_is_watched_at_the_service(
    empty: Path, tmp_path: Path
) -> None:
    with make_world(empty, tmp_path, {0}, game=GAME) as world:
        for who in STRANGERS:
            arena = world.asked_by(viewer_of(world, who))
            for row in arena.matches.list_matches("rex").items[-2:]:  # the block of the match that is over
                with pytest.raises(HiddenError):
                    next(arena.matches.watch_match(row.id))
            with pytest.raises(HiddenError):
                next(arena.matches.watch_logs(row.id, 0))
        arena = world.asked_by(Viewer())
        with hold(world.database, world.tournament):
            (leased, *_) = arena.matches.list_matches("rex", state=MatchState.LEASED).items
        with pytest.raises(ClientError, match="only the service that plays it shows it now"):
            next(arena.matches.watch_match(leased.id))
