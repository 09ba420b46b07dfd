"""Whether the book of record is sound: everything that must hold between its rows, as questions asked of a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, groupby, islice
from typing import Any

from sqlalchemy import ColumnElement, Engine, and_, case, func, select, true
from sqlmodel import Session

from engine.translatable import Text, placed
from ratings.ledger.rebuild import UNFINISHED, Differences
from ratings.ledger.tally_updates import tally_problems
from ratings.statistics.errors import SkillError
from ratings.store import schema, tables
from ratings.store.bot_events import lineage_of
from ratings.store.database import Database
from ratings.store.dialects import dialect_of
from ratings.store.sessions import read
from ratings.values.states import AttemptState, MatchState, OnWorkProgress, RatingVerdict, WorkStage, no_progress

_MOST_OF_A_KIND = 10

_m, _s, _t, _o = tables.match, tables.match_seat, tables.tournament, tables.rating_order
_finished = _m.c.state == MatchState.FINISHED


def check(database: Database, report: OnWorkProgress = no_progress) -> list[str]:
    """Return what is wrong, one line each and at most ten of a kind; an empty list if all is well. Nothing is changed.

    Checked are pages and indexes, references, the seats, ranks, replay and attempts of every match, the order of
    rating, what was annulled, which versions are active, and every rating and tally against one computed anew from the
    facts, to the last digit.
    """
    # Ratings cannot be right if their facts are wrong.
    if facts := check_facts(database, report):
        return facts
    return check_ratings(database, report=report)


def check_facts(database: Database, report: OnWorkProgress = no_progress) -> list[str]:
    """Return what is wrong besides ratings: what must be in order before they can be rebuilt."""
    with read(database) as session:
        report(WorkStage.PAGES, 0, 0)
        if damage := list(dialect_of(database.url).problems(session.connection())):
            # On damaged pages the other questions would only repeat the answer.
            return damage
        report(WorkStage.FACTS, 0, 0)
        engine = session.get_bind()
        assert isinstance(engine, Engine)
        found, problems = schema.revision(engine), list[str]()
        if found != schema.HEAD:
            problems.append(Text("the schema is {found}, not {needed}", found=found, needed=schema.HEAD))
        return [*problems, *facts_problems(session)]


def check_ratings(database: Database, pool_id: str | None = None, report: OnWorkProgress = no_progress) -> list[str]:
    """Return every rating and tally, of all pools or of one, that is not what the facts give, to the last digit."""
    with read(database) as session:
        report(WorkStage.TALLIES, 0, 0)
        wrong = list(islice(tally_problems(session.connection(), pool_id), _MOST_OF_A_KIND))
        report(WorkStage.RATINGS, 0, 0)
        return [*rating_problems(session, pool_id, report), *wrong]


def facts_problems(session: Session) -> Iterator[str]:
    """Yield what is wrong with matches, attempts, the order of rating, bots and pools, as an open session sees them."""
    of_matches = (_places, _seats, _replays, _empty_columns, _repeated, _attempts)
    of_ratings = (_gaps, _passed, _waiting, _annulled)
    return chain.from_iterable(part(session) for part in (*of_matches, *of_ratings, _lineages, _remote))


def _few(session: Session, query: Any, what: Callable[..., str]) -> Iterator[str]:
    for row in session.connection().execute(query.limit(_MOST_OF_A_KIND)):
        yield what(*row)


def _without(match: str, *_: object, part: str) -> Text:
    return Text("match {match}: finished without {part}", match=match, part=part)


def _seats(session: Session) -> Iterator[str]:
    seats = (
        select(_s.c.match_id, func.count().label("seats"), func.count(_s.c.rank).label("ranks"))
        .group_by(_s.c.match_id)
        .subquery()
    )
    joined = (
        select(_m.c.id, func.coalesce(seats.c.seats, 0), tables.pool.c.seats)
        .join(_t, _t.c.id == _m.c.tournament_id)
        .join(tables.pool, tables.pool.c.id == _t.c.pool_id)
        .outerjoin(seats, seats.c.match_id == _m.c.id)
    )
    wrong = func.coalesce(seats.c.seats, 0) != tables.pool.c.seats
    yield from _few(
        session,
        joined.where(wrong),
        lambda match, found, needed, *_: Text(
            "match {match}: {found} seats instead of {needed}", match=match, found=found, needed=needed
        ),
    )
    yield from _few(
        session,
        joined.where(_finished, seats.c.ranks != seats.c.seats),
        lambda match, *_: Text("match {match}: finished without ranks", match=match),
    )
    yield from _few(
        session,
        joined.where(~_finished, seats.c.ranks != 0),
        lambda match, *_: Text("match {match}: ranks, but not finished", match=match),
    )


def _places(session: Session) -> Iterator[str]:
    """Yield tournaments whose places in the schedule are not 0, 1, 2, and so on: matches are counted by the last."""
    count, last = func.count(), func.max(_m.c.position)
    places = select(_m.c.tournament_id, count, last).group_by(_m.c.tournament_id).having(last != count - 1)
    yield from _few(
        session,
        places,
        lambda tournament, matches, place, *_: Text(
            "tournament {tournament}: {matches} matches, but the last place in the schedule is {place}",
            tournament=tournament,
            matches=matches,
            place=place,
        ),
    )


def _replays(session: Session) -> Iterator[str]:
    replay = select(_m.c.id).outerjoin(tables.replay, tables.replay.c.match_id == _m.c.id)
    gone = tables.replay.c.match_id.is_(None)
    kept = _m.c.replay_removed_at_us.is_(None)
    yield from _few(session, replay.where(_finished, gone, kept), lambda match, *_: _without(match, part="a replay"))
    yield from _few(
        session,
        replay.where(~kept, ~gone),
        lambda match, *_: Text("match {match}: a replay that is said to be removed", match=match),
    )
    yield from _few(
        session,
        replay.where(~_finished, ~gone),
        lambda match, *_: Text("match {match}: a replay, but not finished", match=match),
    )


def _empty_columns(session: Session) -> Iterator[str]:
    for column in ("by_rules", "rated", "plies", "duration_us", "game_digest", "record_digest"):
        empty = select(_m.c.id).where(_finished, _m.c[column].is_(None))
        yield from _few(session, empty, partial(_without, part=column))


def _repeated(session: Session) -> Iterator[str]:
    """Yield the rows in which something stands that another row says, and says otherwise."""
    fault, attempt, said = (
        tables.fault.c,
        tables.attempt.c,
        case((tables.attempt.c.cause.is_not(None), _m.c.tournament_id)),
    )
    of_pool = select(_m.c.id).join(_t, _t.c.id == _m.c.tournament_id).where(_m.c.pool_id != _t.c.pool_id)
    of_fault = (
        select(fault.match_id)
        .join(_m, _m.c.id == fault.match_id)
        .join(_s, (_s.c.match_id == fault.match_id) & (_s.c.seat == fault.seat))
        .where((fault.tournament_id != _m.c.tournament_id) | (fault.version_id != _s.c.version_id))
    )
    of_attempt = (
        select(attempt.match_id)
        .join(_m, _m.c.id == attempt.match_id)
        .where(attempt.tournament_id.is_distinct_from(said))
    )
    yield from _few(session, of_pool, "match {}: another pool than its tournament has".format)
    yield from _few(
        session, of_fault, "match {}: a fault with another tournament or version than that of its seat".format
    )
    yield from _few(session, of_attempt, "match {}: a lost attempt with another tournament".format)


def _attempts(session: Session) -> Iterator[str]:
    attempt = tables.attempt
    for match_state, attempt_state in (
        (MatchState.FINISHED, AttemptState.FINISHED),
        (MatchState.LEASED, AttemptState.RUNNING),
    ):
        counted = and_(attempt.c.match_id == _m.c.id, attempt.c.state == attempt_state)
        query = (
            select(_m.c.id, func.count(attempt.c.number))
            .outerjoin(attempt, counted)
            .where(_m.c.state == match_state)
            .group_by(_m.c.id)
            .having(func.count(attempt.c.number) != 1)
        )
        what = f"match {{}}: {match_state.value} with {{}} {attempt_state.value} attempts"
        yield from _few(session, query, what.format)


def _gaps(session: Session) -> Iterator[str]:
    gaps = (
        select(_o.c.pool_id, func.max(_o.c.rating_seq), func.count())
        .group_by(_o.c.pool_id)
        .having((func.max(_o.c.rating_seq) != func.count()) | (func.min(_o.c.rating_seq) != 1))
    )
    yield from _few(
        session,
        gaps,
        lambda pool, last, entries, *_: Text(
            "pool {pool}: the order of rating goes to {last} with {entries} entries",
            pool=pool,
            last=last,
            entries=entries,
        ),
    )


def _passed(session: Session) -> Iterator[str]:
    passed = (
        select(_m.c.tournament_id, func.count().label("passed"), func.max(_m.c.position).label("last"))
        .join(_o, _o.c.match_id == _m.c.id)
        .group_by(_m.c.tournament_id)
        .subquery()
    )
    through: ColumnElement[int] = func.coalesce(passed.c.passed, 0)
    tournaments = select(_t.c.id, _t.c.rated_through, through).outerjoin(passed, passed.c.tournament_id == _t.c.id)
    differ = (through != _t.c.rated_through) | (passed.c.last != passed.c.passed - 1)
    yield from _few(
        session,
        tournaments.where(differ),
        lambda tournament, last, matches, *_: Text(
            "tournament {tournament}: rated through {last}, but {matches} matches in the order",
            tournament=tournament,
            last=last,
            matches=matches,
        ),
    )


def _waiting(session: Session) -> Iterator[str]:
    rest, over = tables.match.alias(), (MatchState.FINISHED, MatchState.VOID)
    waiting = (
        select(_t.c.id, _m.c.position)
        .join(_m, and_(_m.c.tournament_id == _t.c.id, _m.c.position == _t.c.rated_through))
        .where(
            _t.c.rated, ~select(rest.c.id).where(rest.c.block_id == _m.c.block_id, rest.c.state.not_in(over)).exists()
        )
    )
    yield from _few(
        session,
        waiting,
        lambda tournament, match, *_: Text(
            "tournament {tournament}: match {match} and its block are over and not rated",
            tournament=tournament,
            match=match,
        ),
    )


def _annulled(session: Session) -> Iterator[str]:
    mark, block = tables.annulled_block, tables.block
    counts = select(_o.c.match_id).join(_m, _m.c.id == _o.c.match_id).where(_o.c.verdict == RatingVerdict.ANNULLED)
    marked = select(mark.c.block_id)
    yield from _few(
        session,
        counts.where(_m.c.block_id.not_in(marked)),
        lambda match, *_: Text("match {match}: annulled, but its block is not", match=match),
    )
    of_marked = (
        select(_o.c.match_id)
        .select_from(mark)
        .join(block, block.c.id == mark.c.block_id)
        .join(_m, (_m.c.tournament_id == block.c.tournament_id) & (_m.c.block_id == block.c.id))
        .join(_o, _o.c.match_id == _m.c.id)
    )
    counted = of_marked.where(_o.c.verdict != RatingVerdict.ANNULLED)
    yield from _few(
        session, counted, lambda match, *_: Text("match {match}: its block is annulled, but it is not", match=match)
    )


def _lineages(session: Session) -> Iterator[str]:
    """Yield every bot whose active version is not the one that follows from its events."""
    event, active = tables.bot_event, tables.active_version
    events = select(event.c.bot_id, event.c.kind, event.c.version_id).order_by(event.c.bot_id, event.c.number)
    found = {
        bot_id: lineage_of((row.kind, row.version_id) for row in rows).active
        for bot_id, rows in groupby(session.connection().execute(events), key=lambda row: row.bot_id)
    }
    stored = {row.bot_id: row.version_id for row in session.connection().execute(select(active))}
    for bot_id in sorted(found.keys() | stored.keys()):
        if found.get(bot_id) != stored.get(bot_id):
            yield Text("bot {bot}: its active version is not the one that follows from its events", bot=bot_id)


def _remote(session: Session) -> Iterator[str]:
    """Yield remote bots in tournaments whose pool is for hosted ones, for whose code and clock the arena vouches."""
    entrant, bot, pool = tables.entrant, tables.bot, tables.pool
    entered = (
        select(_t.c.id, bot.c.name)
        .select_from(bot)
        .join(tables.version, tables.version.c.bot_id == bot.c.id)
        .join(entrant, entrant.c.version_id == tables.version.c.id)
        .join(_t, _t.c.id == entrant.c.tournament_id)
        .join(pool, pool.c.id == _t.c.pool_id)
        .where(bot.c.remote, ~pool.c.remote)
        .distinct()
        .order_by(_t.c.id, bot.c.name)
    )
    yield from _few(
        session,
        entered,
        lambda tournament, bot, *_: Text(
            "tournament {tournament}: {bot} is remote, and its pool is for hosted bots", tournament=tournament, bot=bot
        ),
    )


def rating_problems(
    session: Session, pool_id: str | None = None, report: OnWorkProgress = no_progress
) -> Iterator[str]:
    """Yield every rating, of all pools or of one, that is not what the facts give, to the last digit."""
    pools = select(tables.pool.c.id).where(tables.pool.c.id == pool_id if pool_id else true())
    pending = set(session.connection().execute(select(tables.pending_rating.c.pool_id)).scalars())
    for pool_id in session.connection().execute(pools).scalars().all():
        if pool_id in pending:
            yield placed(f"pool {pool_id[:12]}", UNFINISHED)
            continue
        try:
            yield from _pool_problems(session, pool_id, report)
        except SkillError as error:
            yield placed(f"pool {pool_id[:12]}", error)


def _pool_problems(session: Session, pool_id: str, report: OnWorkProgress) -> Iterator[str]:
    differences = Differences(session, pool_id)
    wrong: list[str] = []
    # All of them go by, since the ratings are known only behind the last.
    for chunk in differences.wrong_changes(report):
        wrong += [f"{change[0]} seat {change[1]}" for change, _ in chunk[: _MOST_OF_A_KIND - len(wrong)]]
    wrong += [f"{match_id} seat {seat}" for match_id, seat in differences.stray_changes(are_mended=False)]
    missing, others = differences.wrong_ratings()
    ids = {*others, *(row["version_id"] for row in missing)}
    names = {}
    if ids:
        query = select(tables.version.c.id, tables.bot.c.name, tables.version.c.number).join(
            tables.bot, tables.bot.c.id == tables.version.c.bot_id
        )
        names = {id_: f"{name} version {number}" for id_, name, number in session.connection().execute(query)}
    for table, places in ((tables.rating, sorted(names.get(id_, id_) for id_ in ids)), (tables.rating_change, wrong)):
        for place in places[:_MOST_OF_A_KIND]:
            yield Text(
                "pool {pool}: {value} of {bot} is not what the facts give",
                pool=pool_id[:12],
                value=table.name,
                bot=place,
            )
