"""Draws what the matches of a block share: its opening and its chance seed, and reads files of openings. No I/O.

A file of openings is PGN, or JSON, a list whose items are one opening each: actions or a position; or it has one
position a line, in FEN or EPD.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from random import Random
from typing import Any

from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.format import CircularOrder, ScheduleError
from engine.chance import SeededChance
from engine.core import Game, NotationError, PositionError, State
from engine.translatable import Text
from ratings.statistics.blocks import Block

_SAMPLES = 32
"""So many games of random plies tell how long an opening may be."""
MOST_OPENINGS = 1000
"""The most openings of a file; they are kept with the tournament."""
MOST_PLIES = 20_000
"""The most plies of all openings of a file; to check them takes seconds where notation depends on the position."""
_PLACE_OF_ITEM = re.compile(r"[\s,]*")
_POSITION = re.compile(r"\s*([pnbrqk\d]+/){3,}[pnbrqk\d]*\s+[wb]\s", re.IGNORECASE)
_PGN = re.compile(
    r"""(?P<skipped>\{[^}]*\} | ;[^\n]* | ^%[^\n]* | \$\d+ | \d+[.…]+ | \d+(?=\s) | [.…]+ | e\.p\.? | [!?]+(?=[\s)]|$))
    | \[(?P<tag>\w+)\s+"(?P<value>[^\n]*?)"[ \t]*\]
    | (?P<end>1-0|0-1|1/2(?:-1/2|(?!\S))|½-½|\*)
    | (?P<bracket>[()])
    | (?P<word>(?:(?!e\.p)[^\s(){};.…$\[\]])+)
    | (?P<other>\S)""",
    re.MULTILINE | re.VERBOSE,
)
_JSON = re.compile(r'\s*(\[(?!\w+\s+")|\{\s*"|")')
_SAN = re.compile(r"([KQRBN]?)([a-h]?[1-8]?)[-x:]?([a-h][1-8]|O-O(?:-O)?)[=/]?([QRBNqrbn]?)[+#!?]*")
"""A move of chess: the piece, what tells it from others, where it goes, and what a pawn becomes."""
_SIGNS = str.maketrans(
    dict(zip("0oP\u2013♔♕♖♗♘♙♚♛♜♝♞♟", ["O", "O", "", "-", *("K", "Q", "R", "B", "N", "") * 2], strict=True))
)
"""Other signs for those of `_SAN`, which people write."""


@dataclass(frozen=True, slots=True)
class BlockDraw:
    """What all blocks of a tournament are drawn from; a block is a function of this, its index and its order."""

    game: Game
    seats: int
    options: Any
    """As `Game.parse_options` returns them."""
    secret: bytes
    opening_plies: int
    """How many random plies open each match."""
    blocks_per_seed: int = 1
    """How many successive blocks share opening and chance seed."""
    book: tuple[tuple[int, ...], ...] = ()
    """Openings that are played instead of random ones: each once, in an order drawn from the secret, then again."""
    starts: tuple[Mapping[str, Any], ...] = ()
    """For each of these the options that set up where it begins; empty if all begin at the start of the game."""

    def block(self, index: int, order: CircularOrder) -> Block:
        """Return the block at place `index` of the schedule (from 0), with opening and chance seed."""
        return self._drawn(index, order)

    def single_match(self, seating: CircularOrder) -> Block:
        """Return the block of a single match: of its rotations only the first, `seating`, is played."""
        return self._drawn(0, seating, is_single=True)

    def _drawn(self, index: int, order: CircularOrder, *, is_single: bool = False) -> Block:
        number = index // self.blocks_per_seed
        chance_seed = seeds.chance_seed(self.secret, number)
        if self.book:
            opening = self.book[place_in_book(self.secret, len(self.book), number)]
            return Block(index, order, opening, chance_seed, is_single)
        opening = draw_opening(
            self.game,
            seats=self.seats,
            options=self.options,
            chance_seed=chance_seed,
            seed=seeds.opening_seed(self.secret, number),
            plies=self.opening_plies,
        )
        return Block(index, order, opening, chance_seed, is_single)


def place_in_book(secret: bytes, count: int, number: int) -> int:
    """Return which of so many openings the blocks play that have the seed of this number."""
    return _order_of_book(secret, count)[number % count]


@lru_cache(maxsize=16)
def _order_of_book(secret: bytes, count: int) -> tuple[int, ...]:
    """Return in which order so many openings of a file are played."""
    return tuple(sorted(range(count), key=lambda place: seeds.opening_seed(secret, place)))


@dataclass(frozen=True, slots=True)
class _Word:
    """An action as a file writes it."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class _Found:
    """An opening as a file writes it: actions, or a position from which they go on."""

    line: int
    words: Sequence[_Word] = ()
    position: str | Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Book:
    """The openings of a file as ids of actions, and for each the options that set up where it begins."""

    openings: tuple[tuple[int, ...], ...]
    starts: tuple[Mapping[str, Any], ...]


def read_openings(text: str, game: Game, *, seats: int, options: Any, plies: int | None = None) -> Book:
    """Return the openings of a file, cut after so many `plies`, which those do not count that lead to a position.

    Each is legal and leaves a choice. Raises ScheduleError with the number of the line.
    """
    if game.has_chance:
        raise ScheduleError(
            Text(
                "{game} begins differently by its own chance, so that an opening of a file may be impossible; leave "
                "the file out",
                game=game.name,
            )
        )
    text = text.removeprefix("\ufeff")
    if _POSITION.match(text):
        found = [_Found(line, (), said) for line, said in enumerate(text.split("\n"), 1) if said.strip()]
    else:
        found = list(_read_json(text) if _JSON.match(text) else _read_pgn(text))
    if not found:
        raise ScheduleError(Text("the file of openings holds none; write a JSON list of openings, or PGN"))
    if len(found) > MOST_OPENINGS:
        raise ScheduleError(
            Text("the file has {count} openings; use {most} or fewer", count=len(found), most=MOST_OPENINGS)
        )
    starts = [_start_of(game, one) for one in found]
    count = sum(len(actions) + len(one.words[:plies]) for (_, actions), one in zip(starts, found, strict=True))
    if count > MOST_PLIES:
        raise ScheduleError(
            Text(
                "the openings have {count} plies in all, and {most} are allowed; shorten them, for example with "
                "--opening-plies 8",
                count=count,
                most=MOST_PLIES,
            )
        )
    usual, openings = game.options_json(options), list[tuple[int, ...]]()
    for one, (changed, first) in zip(found, starts, strict=True):
        state = game.new_state(seats, game.parse_options({**usual, **changed}), SeededChance(0))
        for action in first:
            state.apply(action)
        openings.append((*first, *_actions(game, state, one.line, one.words[:plies])))
    return Book(tuple(openings), tuple(changed for changed, _ in starts))


def _start_of(game: Game, found: _Found) -> tuple[Mapping[str, Any], Sequence[int]]:
    """Return the options and actions that lead to the position of an opening; none of both without one."""
    if found.position is None:
        return {}, ()
    try:
        start = game.begin_at(found.position)
    except PositionError as error:
        raise _wrong(found.line, Text("this position cannot be played: {why}", why=error)) from error
    if start is None:
        raise _wrong(found.line, Text("a position cannot be set up; give the moves that lead to it, as PGN"))
    return start


def _quote(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}...")


def _wrong(line: int, why: Text) -> ScheduleError:
    return ScheduleError(Text("openings, line {line}: {why}", line=line, why=why))


def _read_json(text: str) -> Iterator[_Found]:
    """Yield each opening: a list of actions, a text with white space between them, or a position."""
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        why = Text("is not valid JSON: {why}; correct that line", why=getattr(error, "msg", str(error)))
        raise _wrong(getattr(error, "lineno", 1), why) from error
    if not isinstance(items, list):
        raise _wrong(1, Text("the file is no list; write one of openings"))
    place = text.index("[") + 1
    for item in items:
        between = _PLACE_OF_ITEM.match(text, place)
        assert between is not None, "it matches nothing, too"
        line = text.count("\n", 0, between.end()) + 1
        _, place = json.JSONDecoder().raw_decode(text, between.end())
        if isinstance(item, dict) or (isinstance(item, str) and _POSITION.match(item)):
            yield _Found(line, (), item)
            continue
        actions = item.split() if isinstance(item, str) else item
        if not (isinstance(actions, list) and all(isinstance(action, str) for action in actions)):
            raise _wrong(line, Text("an opening is a list of actions in notation, or a position"))
        yield _Found(line, [_Word(action, line) for action in actions])


def _read_pgn(text: str) -> Iterator[_Found]:
    """Yield the main line of each game with the line where it begins, and with its position if it has one."""
    words, begin, depth, position = list[_Word](), 0, 0, None
    line, counted = 1, 0
    for token in _PGN.finditer(text):
        line, counted = line + text.count("\n", counted, token.start()), token.start()
        kind = token.lastgroup
        if kind == "other":
            raise _wrong(
                line,
                Text(
                    "{text} is neither PGN nor JSON; correct it, or unpack the file if it is an archive",
                    text=_quote(token[0]),
                ),
            )
        if kind == "bracket":
            depth = max(0, depth + (1 if token[0] == "(" else -1))
        elif kind == "value":
            if words or (position and token["tag"] in ("Event", "FEN")):
                yield _Found(begin, words, position)
                words, begin, position = [], 0, None
            if token["tag"] == "FEN":
                position, begin = token["value"], line
            elif token["tag"] == "SetUp" and token["value"] != "0" and position is None:
                position, begin = "", line  # until its FEN comes
        elif kind == "word" and not depth:
            words.append(_Word(token[0], line))
            begin = begin or line
        elif kind == "end" and not depth:
            yield _Found(begin or line, words, position)
            words, begin, position = [], 0, None
    if words or position is not None:
        yield _Found(begin, words, position)


def _actions(game: Game, state: State, line: int, words: Sequence[_Word]) -> tuple[int, ...]:
    """Return the ids of an opening that begins at `line`, after checking it from the initial position on."""
    actions = list[int]()
    for word in words:
        if state.seat() is None:
            raise _wrong(word.line, Text("the game is over before {text}", text=_quote(word.text)))
        action = _find_action(game, state, word.text)
        if action is None:
            why = Text(
                "{text} is no legal action after {count} plies; `arena game show {game}` tells how actions are written",
                text=_quote(word.text),
                count=len(actions),
                game=game.name,
            )
            raise _wrong(word.line, why)
        state.apply(action)
        actions.append(action)
    while state.seat() is not None and len(state.legal_actions()) == 1:
        state.apply(state.legal_actions()[0])
    if state.seat() is None:
        longer = Text("the opening leaves nothing to decide; make it shorter")
        raise _wrong(line, longer if words else Text("nothing is left to decide in this position; leave it out"))
    return tuple(actions)


def _find_action(game: Game, state: State, text: str) -> int | None:
    """Return the legal action of a notation, or of what people call it in this position, such as `Nf3`."""
    try:
        action = game.actions.parse(text)
    except NotationError:
        same = []
        for one in state.legal_actions():
            name = game.shown.choice(state, game.actions.format(one), "en")
            if name == text:
                return one
            if _is_same_move(game, state, one, text, name):
                same.append(one)
        return same[0] if len(same) == 1 else None
    return action if state.is_legal(action) else None


def _is_same_move(game: Game, state: State, action: int, text: str, name: str) -> bool:
    """Tell whether both are one move of chess: people leave out signs, or tell pieces apart that need not be."""
    one, other = (_SAN.fullmatch(word.translate(_SIGNS)) for word in (text, name))
    if one is None or other is None or one.group(1, 3) != other.group(1, 3) or one[4].upper() != other[4].upper():
        return False
    if one[2] in other[2]:
        return True
    after = state.clone()
    after.apply(action)
    left = set(_occupied(game, state)).difference(_occupied(game, after))
    return other[2] in one[2] and any(one[2] in square for square in left)


def _occupied(game: Game, state: State) -> Iterator[str]:
    """Yield the squares on which pieces of chess stand."""
    rows = game.shown.text(state, None, "en").partition(" ")[0].split("/")
    for rank, row in zip(range(len(rows), 0, -1), rows, strict=True):
        cells = re.sub(r"\d", lambda empty: " " * int(empty[0]), row)
        yield from (f"{chr(ord('a') + file)}{rank}" for file, cell in enumerate(cells) if cell != " ")


def draw_opening(
    game: Game, *, seats: int, options: Any, chance_seed: int, seed: int, plies: int | None = None
) -> tuple[int, ...]:
    """Return up to `plies` actions from the initial position, each drawn uniformly from the legal ones.

    `plies=None` means `game.opening_plies(seats)`; forced actions are plies too. Dice and piles are those of
    `chance_seed`, as in the match itself. An opening with which the game would end stops before its last choice, so
    that somebody always has a decision to make, unless the game has none. Raises SeatsError.
    """
    game.check_seats(seats)
    wanted = game.opening_plies(seats) if plies is None else plies
    opening, last_choice = list[int](), 0
    for ply in islice(_random_plies(game, seats, options, chance_seed, seed), wanted):
        if ply.is_choice:
            last_choice = len(opening)
        opening.append(ply.action)
        if ply.ends_game:
            return tuple(opening[:last_choice])
    return tuple(opening)


def longest_opening(game: Game, *, seats: int, options: Any, plies: int) -> int | None:
    """Return the longest opening that leaves a choice in each of some random games, or `None` if `plies` do.

    It is the same for the same game, seats and options, whatever is drawn in a tournament.
    """
    longest = None
    for seed in range(_SAMPLES):
        last_choice = 0
        for number, ply in enumerate(_random_plies(game, seats, options, seed, seed)):
            if ply.is_choice:
                last_choice = number
                if number >= plies:
                    break
        else:
            longest = last_choice if longest is None else min(longest, last_choice)
    return longest


@dataclass(frozen=True, slots=True)
class _Ply:
    action: int
    is_choice: bool
    """Whether there was another legal action."""
    ends_game: bool


def _random_plies(game: Game, seats: int, options: Any, chance_seed: int, seed: int) -> Iterator[_Ply]:
    """Yield uniformly random plies from the initial position to the end of the game."""
    state = game.new_state(seats, options, SeededChance(chance_seed))
    generator = Random(seed)
    while state.seat() is not None:
        legal = state.legal_actions()
        # Only random() is guaranteed to repeat across Python versions.
        action = legal[int(generator.random() * len(legal))]
        state.apply(action)
        yield _Ply(action, len(legal) > 1, state.seat() is None)
