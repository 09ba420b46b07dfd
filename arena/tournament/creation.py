"""Creates tournaments: forecasts and checks what was asked for, writes the tournament, and lets waves be planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from arena.match.time_control import TimeControl, format_time_control
from arena.tournament.errors import RequestError
from arena.tournament.formats import catalog
from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Entrant, Format, Situation, blocks_per_seed
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import LadderFormat, is_endless
from arena.tournament.formats.openings import BlockDraw, longest_opening, read_openings
from arena.tournament.formats.swiss import Swiss
from arena.tournament.match_specs import Programs
from arena.tournament.planner import FormatPlanner, SingleMatchPlanner
from arena.tournament.registration import check_all, check_entrant, check_owners
from arena.tournament.seed_key import SeedKey
from arena.tournament.stored import OPENINGS, STARTS, check_name, clock_settings
from engine import registry
from engine.core import Game
from engine.translatable import Text
from ratings.ledger.ledger import Ledger
from ratings.ledger.rating import pool_of
from ratings.ledger.tournaments import TournamentPlan
from ratings.read.bots import VersionRow, find_version
from ratings.statistics.skill import check_rating_method
from ratings.store.database import Database
from ratings.store.models import TournamentRecord
from ratings.store.waves import OWNERS_APART
from ratings.values.pools import Pool, RatingMethod

SINGLE_MATCH = "match"
"""What stands in place of a format's name for a single match."""

ChooseName = Callable[[Set[str]], str]
"""Returns the name of the new tournament, given the names in use. Nobody else can take it meanwhile."""


@dataclass(frozen=True, slots=True)
class TournamentTerms:
    """What all matches of a tournament share."""

    game: str
    seats: int
    clock: TimeControl
    options: Mapping[str, Any] = field(default_factory=dict)
    """Values may be texts, as `Game.parse_options` takes them."""
    cores: int = 1
    """The number of cores granted to each bot."""
    opening_plies: int | None = None
    """How many random plies come before the first decision, or `None` for the game's own number."""
    openings: str | None = None
    """The text of a file of openings, which come instead of random plies; `opening_plies` cuts them."""
    seed: int | None = None
    """Makes everything drawn here repeatable; without it and a secret the operating system's randomness is used."""
    secret: bytes | None = None
    """What everything is drawn from, instead of a seed."""
    seed_key: SeedKey | None = None
    """Under which a seed works where a bot has an owner; without one, such a bot plays with no seed."""
    rated: bool = True
    same_owner: bool = False
    """Whether bots of one owner may meet although it is rated, and their matches are rated, too."""
    rating_method: RatingMethod = RatingMethod.TRUESKILL
    """What the pool is rated by; the same matches under another method are another pool."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What would be written of a tournament."""

    plan: TournamentPlan
    draw: BlockDraw
    seated: Sequence[VersionRow]
    """The versions in the order of entry, of a single match one for each seat."""
    form: Format | None = None
    """`None` for a single match."""

    @property
    def entrants(self) -> list[VersionRow]:
        """The versions, each once, in the order of entry."""
        return list({one.version.id: one for one in self.seated}.values())

    def count_matches(self) -> tuple[int | None, bool]:
        """Return how many matches it has, `None` without end, and whether results may make them fewer."""
        if self.form is None:
            return 1, False
        is_apart = OWNERS_APART in self.plan.settings
        owners = [one.bot.owner_id if is_apart else None for one in self.seated]
        entrants = [Entrant(one.version.id, owner=owner) for one, owner in zip(self.seated, owners, strict=True)]
        return count_matches(self.form, tuple(entrants), self.draw.secret)


def create_tournament(
    database: Database,
    programs: Programs,
    terms: TournamentTerms,
    form: Format,
    *,
    bots: Sequence[str],
    choose_name: ChooseName,
    notes: Mapping[str, Any] | None = None,
) -> TournamentRecord:
    """Write a tournament of `bots` (`name`, the newest version, or `name@hash`), and plan what can be planned at once.

    What is planned later is a function of what was written. `notes` are kept with its settings, for whoever creates it.
    """
    draft = draft_tournament(database, programs, terms, form, bots=bots, notes=notes)
    assert draft.form is not None
    planner = FormatPlanner(draft.form, draft.draw)
    return _ledger(database, programs).create_tournament(draft.plan, planner, choose_name=_checked(choose_name))


def create_match(
    database: Database,
    programs: Programs,
    terms: TournamentTerms,
    *,
    bots: Sequence[str],
    choose_name: ChooseName,
    notes: Mapping[str, Any] | None = None,
    own_may_meet: bool = False,
) -> TournamentRecord:
    """Write a single match, a tournament without a format, with `bots[seat]` named as for `create_tournament`.

    Unrated, a bot may sit in several seats: its author wants to see it play itself. `notes` are as there. Bots of one
    owner meet in a rated match only with `own_may_meet`, unrated then, or as the terms say, rated.
    """
    draft = draft_match(database, programs, terms, bots=bots, notes=notes, own_may_meet=own_may_meet)
    planner = SingleMatchPlanner(draft.draw.single_match(tuple(one.version.id for one in draft.seated)))
    return _ledger(database, programs).create_tournament(draft.plan, planner, choose_name=_checked(choose_name))


def _ledger(database: Database, programs: Programs) -> Ledger:
    return Ledger(database, signer=SeedKey.beside(programs.root).signing_key())


def draft_tournament(
    database: Database,
    programs: Programs,
    terms: TournamentTerms,
    form: Format,
    *,
    bots: Sequence[str],
    notes: Mapping[str, Any] | None = None,
) -> Draft:
    """Return what `create_tournament` would write, with its errors but those of the book; nothing is written."""
    game = _check_terms(terms)
    found = _find_versions(database, programs, terms.game, bots)
    _check_distinct(bots, found)
    draw = _draw(game, terms, _secret(terms, found), blocks_per_seed(form))
    form = catalog.in_pool(form, terms.rating_method)
    form.check(len(found))
    if _keeps_apart(terms):
        check_owners(form, found)
    plan = _plan(draw, terms, form.traits.name, found, {**catalog.to_settings(form), **(notes or {})})
    return Draft(plan, draw, found, form)


def draft_match(
    database: Database,
    programs: Programs,
    terms: TournamentTerms,
    *,
    bots: Sequence[str],
    notes: Mapping[str, Any] | None = None,
    own_may_meet: bool = False,
) -> Draft:
    """Return what `create_match` would write, with its errors but those of the book; nothing is written."""
    game = _check_terms(terms)
    if len(bots) != terms.seats:
        raise RequestError(
            Text(
                "{seats} seats need {needed} bots, not {bots}; name one for each seat",
                seats=terms.seats,
                needed=terms.seats,
                bots=len(bots),
            )
        )
    found = _find_versions(database, programs, terms.game, bots)
    if terms.rated:
        _check_distinct(bots, found)
    if _keeps_apart(terms) and not own_may_meet:
        check_all(found)
    draw = _draw(game, terms, _secret(terms, found))
    entrants = list({one.version.id: one for one in found}.values())
    return Draft(_plan(draw, terms, SINGLE_MATCH, entrants, notes or {}), draw, found)


def plan_ladder(terms: TournamentTerms, form: Format, *, remote: bool = False) -> TournamentPlan:
    """Return how a standing ladder, perhaps one of remote bots, is played, for the ledger that opens it.

    Nothing is written. Raises RequestError for a format that ends by itself.
    """
    if not is_endless(form):
        raise RequestError(
            Text("{name} ends by itself, and a ladder must go on; use ladder with 0 waves", name=form.traits.name)
        )
    game = _check_terms(terms)
    # Bots of owners come later.
    draw = _draw(game, terms, _keyed_secret(terms) or seeds.new_secret(), blocks_per_seed(form))
    _check_opening(draw, terms, remote=remote)
    plan = _plan(draw, terms, form.traits.name, [], catalog.to_settings(form))
    return replace(plan, pool=_pool(draw, terms, remote=remote))


def _checked(choose_name: ChooseName) -> ChooseName:
    return lambda taken: check_name(choose_name(taken))


def _secret(terms: TournamentTerms, entrants: Sequence[VersionRow]) -> bytes:
    """Return what everything is drawn from: of a seed alone only where no bot has an owner who could try seeds."""
    if terms.seed is not None and all(one.bot.owner_id is None for one in entrants):
        return seeds.secret_from_seed(terms.seed)
    return _keyed_secret(terms) or seeds.new_secret()


def _keyed_secret(terms: TournamentTerms) -> bytes | None:
    """Return the secret that was given, or that of the seed under the arena's key; `None` without either."""
    if terms.seed is None:
        return terms.secret
    if terms.seed_key is None:
        raise RequestError(Text("a bot with an owner plays with no seed that it could guess; leave the seed out"))
    return terms.seed_key.secret_of(terms.seed)


def _draw(game: Game, terms: TournamentTerms, secret: bytes, blocks_per_seed: int = 1) -> BlockDraw:
    options = game.parse_options(terms.options)
    if hidden := sorted(game.options_json(options).keys() - game.asked_options(game.options_json(options)).keys()):
        raise RequestError(
            Text("option {name} is set by openings alone; give the position in a file: --openings", name=hidden[0])
        )
    opening_plies = terms.opening_plies
    if terms.openings is not None:
        book = read_openings(terms.openings, game, seats=terms.seats, options=options, plies=opening_plies)
        starts = book.starts if any(book.starts) else ()
        return BlockDraw(game, terms.seats, options, secret, 0, blocks_per_seed, book.openings, starts)
    if opening_plies is None:
        usual = game.opening_plies(terms.seats)
        longest = longest_opening(game, seats=terms.seats, options=options, plies=usual) if usual else None
        opening_plies = usual if longest is None else longest
    return BlockDraw(game, terms.seats, options, secret, opening_plies, blocks_per_seed)


def _check_terms(terms: TournamentTerms) -> Game:
    if terms.seed is not None and not 0 <= terms.seed <= seeds.MAX_SEED:
        raise RequestError(
            Text("seed {seed} is out of range; use 0 to {most} (below 2^53)", seed=terms.seed, most=seeds.MAX_SEED)
        )
    if terms.seed is not None and terms.secret is not None:
        raise RequestError(Text("a seed and a secret exclude each other; give one of them"))
    if terms.secret is not None and len(terms.secret) != seeds.SECRET_BYTES:
        raise RequestError(
            Text("a secret has {digits} hexadecimal digits; copy it whole", digits=2 * seeds.SECRET_BYTES)
        )
    if terms.cores < 1:
        raise RequestError(Text("{cores} cores cannot play; grant each bot at least 1", cores=terms.cores))
    if terms.cores > 1 and terms.clock.may_ponder:
        raise RequestError(
            Text(
                "with pondering all bots of a match compute at once, and share one core; leave out pondering, or "
                "the cores"
            )
        )
    check_rating_method(terms.rating_method)
    game = registry.get(terms.game)
    game.check_seats(terms.seats)
    if terms.opening_plies is not None and not 0 <= terms.opening_plies <= game.max_plies:
        raise RequestError(
            Text(
                "an opening of {plies} plies is impossible; use 0 to {most}",
                plies=terms.opening_plies,
                most=game.max_plies,
            )
        )
    return game


def _find_versions(database: Database, programs: Programs, game: str, bots: Sequence[str]) -> list[VersionRow]:
    """Return the versions named; they play the game, and the programs of those that run here are sound."""
    found = [find_version(database, text) for text in bots]
    for text, one in zip(bots, found, strict=True):
        check_entrant(programs, one, game, text)
    return found


def _check_distinct(bots: Sequence[str], found: Sequence[VersionRow]) -> None:
    counts = Counter(one.version.id for one in found)
    for text, one in zip(bots, found, strict=True):
        if counts[one.version.id] > 1:
            raise RequestError(Text("{name} is entered more than once; name each version once", name=text))


def _plan(
    draw: BlockDraw,
    terms: TournamentTerms,
    format_name: str,
    entrants: Sequence[VersionRow],
    settings: Mapping[str, Any],
) -> TournamentPlan:
    """Return what the book of record keeps of the tournament; `settings` are those of its format.

    With one remote bot it belongs to a pool of remote bots. Raises RequestError.
    """
    remote = any(one.bot.remote for one in entrants)
    _check_opening(draw, terms, remote=remote)
    apart = {OWNERS_APART: True} if _keeps_apart(terms) else {}
    common = {"seed": terms.seed, "opening_plies": draw.opening_plies, **clock_settings(terms.clock)}
    if draw.book:
        common[OPENINGS] = [list(opening) for opening in draw.book]
    if draw.starts:
        common[STARTS] = [dict(start) for start in draw.starts]
    return TournamentPlan(
        name="",  # it is chosen while the tournament is written
        format=format_name,
        pool=_pool(draw, terms, remote=remote),
        secret=draw.secret.hex(),
        seeded=terms.seed is not None or terms.secret is not None,
        settings={**settings, **common, **apart},
        entrants=[one.version.id for one in entrants],
        rated=terms.rated,
        rates_same_owner=terms.same_owner,
    )


def _keeps_apart(terms: TournamentTerms) -> bool:
    return terms.rated and not terms.same_owner


def _check_opening(draw: BlockDraw, terms: TournamentTerms, *, remote: bool) -> None:
    """Raise RequestError for an opening that outlasts the game, or is drawn with other chance than the match."""
    if remote and draw.game.has_chance and draw.opening_plies:
        raise RequestError(
            Text(
                "an opening of {plies} plies is impossible in {game} with remote bots, since each of their "
                "matches has dice and piles of its own; use --opening-plies 0",
                plies=draw.opening_plies,
                game=draw.game.name,
            )
        )
    if not terms.opening_plies or draw.book:  # `_draw` chose one that fits
        return
    longest = longest_opening(draw.game, seats=draw.seats, options=draw.options, plies=draw.opening_plies)
    if longest is not None:
        raise RequestError(
            Text(
                "an opening of {plies} plies is longer than the game can be; use 0 to {most} here, so that bots "
                "have something to decide",
                plies=draw.opening_plies,
                most=longest,
            )
        )


def _pool(draw: BlockDraw, terms: TournamentTerms, *, remote: bool) -> Pool:
    return pool_of(
        game=draw.game.name,
        rules_version=draw.game.rules_version,
        seats=terms.seats,
        options=draw.game.options_json(draw.options),
        time_control=format_time_control(terms.clock),
        cores=terms.cores,
        remote=remote,
        rating_method=terms.rating_method,
    )


def count_matches(form: Format, entrants: tuple[Entrant, ...], secret: bytes) -> tuple[int | None, bool]:
    """Return how many matches a tournament has, `None` without end, and whether results may make them fewer.

    A format that looks at no results is planned; of the others it is the most that their settings allow.
    """
    if is_endless(form):
        return None, False
    if not form.traits.lag:
        planned = form.plan(Situation(entrants, (), seeds.schedule_seed(secret)))
        return len(planned) * form.seats, False
    return _most_matches(form, len(entrants)), True


def _most_matches(form: Format, entrants: int) -> int | None:
    tables = entrants // form.seats
    if isinstance(form, Swiss):
        return tables * form.seats * form.blocks * form.rounds
    if isinstance(form, Knockout):
        return entrants * form.lives * form.best_of * form.seats
    if isinstance(form, LadderFormat):
        return tables * form.seats * form.waves
    if isinstance(form, Adaptive):
        return form.blocks * form.seats
    return form.pairs * form.blocks_per_seed * form.seats if isinstance(form, Compare) else None


def longest_match_us(game: Game, seats: int, clock: TimeControl) -> int | None:
    """Return how long a match of the usual number of decisions takes if each seat uses all of its time.

    `None` without a clock, and for a game that does not say how many decisions are usual.
    """
    if game.playable is None:
        return None
    decisions = game.playable.usual_decisions(seats)
    limits = [decisions * clock.decision_limit_us] if clock.decision_limit_us else []
    if clock.has_bank:
        limits.append(seats * clock.bank_us + decisions * clock.increment_us)
    return min(limits, default=None)
