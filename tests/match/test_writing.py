"""The writer of replays: that it spells every entry as the canonical JSON of its data, whatever is in it."""

import hypothesis.strategies as st
from hypothesis import given

from arena.match.decisions import DecidedBy, ReplayEntry
from arena.match.digests import canonical_json
from arena.match.replay import entry_json
from arena.match.writing import entry_text
from tests.support.texts import CHARACTERS

NUMBERS = st.integers(0, 2**40)


@st.composite
def entries(draw: st.DrawFn) -> ReplayEntry:
    """An entry of an answer's first action, of a later one, or one that no bot chose."""
    ply, seat, action = draw(st.tuples(NUMBERS, st.integers(0, 4), NUMBERS))
    kind = draw(st.sampled_from(("first", "later", *(by for by in DecidedBy if by is not DecidedBy.BOT))))
    if kind == "first":
        note = draw(st.text(CHARACTERS, max_size=40))
        return ReplayEntry(ply, seat, action, DecidedBy.BOT, ply, draw(NUMBERS), draw(NUMBERS), note)
    if kind == "later":
        return ReplayEntry(ply + 1, seat, action, DecidedBy.BOT, draw(st.integers(0, ply)))
    return ReplayEntry(ply, seat, action, DecidedBy(kind))


@given(entries())
def test_an_entry_is_spelled_as_the_canonical_json_of_its_data(entry: ReplayEntry) -> None:
    assert entry_text(entry).encode("ascii") == canonical_json(entry_json(entry))


@given(st.text(CHARACTERS, max_size=30))
def test_a_note_may_hold_anything(note: str) -> None:
    entry = ReplayEntry(3, 0, 1, DecidedBy.BOT, 3, note=note)
    assert entry_text(entry).encode("ascii") == canonical_json(entry_json(entry))
