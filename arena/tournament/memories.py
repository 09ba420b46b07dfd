"""Whether what planning relies on is what the matches give: the memory of old waves, and who gathered in them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from arena.tournament.formats.past import NOTHING, Past
from arena.tournament.formats.remembering import Remembering, fold, is_understood, to_json
from arena.tournament.formats.seeds import schedule_seed
from arena.tournament.formats.situation import Entrant, Situation
from arena.tournament.stored import entrant_of, format_of, wave_of
from ratings.read.tournaments import Remembered, entrants_of, remembered, remembered_waves, tournament_row
from ratings.store.database import Database
from ratings.values.states import OnWorkProgress, WorkStage, no_progress


def memory_problems(database: Database, report: OnWorkProgress = no_progress) -> Iterator[tuple[str, str]]:
    """Yield the id, with a sentence, of every tournament of which something else is remembered than its matches give.

    The matches are read wave by wave, about 8 s for 100,000, each wave in a view of its own: a service may go on.
    """
    for one in remembered(database):
        for problem in _problems(database, one, report):
            yield one.tournament_id, problem


def _problems(database: Database, one: Remembered, report: OnWorkProgress) -> Iterator[str]:
    row = tournament_row(database, one.tournament_id)
    name, form = row.tournament.name, format_of(row.tournament, row.pool)
    if not isinstance(form, Remembering):
        yield f"tournament {name!r}: its format remembers nothing, and yet there is a memory"
        return
    if not is_understood(form, one.memory.data):
        return  # the planner forgets it and reads the matches anew, and so does whoever looks
    entrants = tuple(entrant_of(version) for version in entrants_of(database, one.tournament_id))
    seed = schedule_seed(bytes.fromhex(row.tournament.secret))
    past, gathered = _recall(database, one, form, entrants, seed, report)
    names = [entrant.id for entrant in entrants]
    # Who entered only then may have been there or not when it was written, with nothing to his name.
    early = {place for place, entrant in enumerate(entrants) if entrant.joined <= one.memory.index}
    found = json.loads(json.dumps(to_json(form, past, names)))
    if _of(early, found) != _of(early, {key: one.memory.data.get(key) for key in found}):
        yield f"tournament {name!r}: what is remembered up to wave {one.memory.index} is not what its matches give"
    if gathered != one.gathered:
        yield f"tournament {name!r}: who gathered up to wave {one.memory.index} is not what its matches give"


def _recall(
    database: Database,
    one: Remembered,
    form: Remembering,
    entrants: tuple[Entrant, ...],
    seed: int,
    report: OnWorkProgress,
) -> tuple[Past, Counter[tuple[int, ...]]]:
    """Return what is to be remembered, and how often which entrants, by place, sat together where that is kept."""
    past, gathered = NOTHING, Counter[tuple[int, ...]]()
    places = {entrant.id: place for place, entrant in enumerate(entrants)}
    for records in remembered_waves(database, one):
        report(WorkStage.MEMORIES, 0, 0)
        situation = Situation(entrants, (wave_of(records),), seed, past)
        past = fold(form, situation)
        if len(situation.blocks[0].order) > 2:
            gathered.update(tuple(sorted({places[name] for name in block.order})) for block in situation.blocks)
    return past, gathered


def _of(places: Collection[int], data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a memory says of these entrants."""
    own = data["own"]
    kept = {**data, "tallies": _rows_of(places, data["tallies"])}
    if isinstance(own, dict) and own.keys() == {"skills", "starts"}:
        kept["own"] = {name: _rows_of(places, rows) for name, rows in own.items()}
    return kept


def _rows_of(places: Collection[int], rows: Sequence[Any]) -> list[Any]:
    """Return the rows of these entrants, by place; in which order others were met says nothing."""
    return sorted(
        [part if not isinstance(part, list) else sorted(part) for part in row] for row in rows if row[0] in places
    )
