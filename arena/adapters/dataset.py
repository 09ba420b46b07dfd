"""Training sets: the decisions of many matches, as `arena replay dataset` writes them, read back as arrays of NumPy.

    dataset = load("matches.npz")
    for positions in dataset.chunks():           # some thousand decisions each, whatever the size of the file
        learn(positions.observations(), positions.legal(), positions.actions, positions.rewards)

A file has these columns, with a row for each decision:

    cells, masks, numbers, flags, reals   what the seat saw, as far as the game has such: `Positions.observations`
                                          makes planes of them, which take ten times the room and more
    legal        the legal actions, a bit each, the lowest first
    actions      the action that was chosen
    seats        the seat that chose it
    plies        its place in the match, from 0
    by_bot       whether the bot chose it; otherwise the opening or the caretaker of a forfeited seat did
    ranks        how the match ended for every seat: 1 is best
    rewards      the same from -1 to 1, as `arena.adapters.batch` gives it
    matches      the id of the match

All are of one game with the same rules, seats and options, which the header says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from arena.adapters.dataset_files import DAMAGE, Columns, DatasetError, in_a_line, read_file
from arena.adapters.features import Features, features_of
from engine import registry

FORMAT: Final = "arena.dataset"
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Positions:
    """Decisions, each a row of every array."""

    features: Features
    records: npt.NDArray[np.void]
    legal_bits: npt.NDArray[np.uint8]
    actions: npt.NDArray[np.int32]
    seats: npt.NDArray[np.int8]
    plies: npt.NDArray[np.int32]
    by_bot: npt.NDArray[np.bool_]
    ranks: npt.NDArray[np.int8]
    rewards: npt.NDArray[np.float32]
    matches: npt.NDArray[np.bytes_]

    def __len__(self) -> int:
        return len(self.actions)

    def __getitem__(self, rows: Any) -> Positions:
        """Return some of them: a slice, an array of indices or of truth values."""
        return Positions(self.features, *(getattr(self, field.name)[rows] for field in fields(self)[1:]))

    def observations(self, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
        """Return what the seats saw, as an array of shape (N, planes, board)."""
        return self.features.expand(self.records, np.empty((len(self), *self.features.shape), dtype))

    def legal(self) -> npt.NDArray[np.bool_]:
        """Return the masks of legal actions, as an array of shape (N, actions)."""
        count = len(self.features.game.actions)
        return np.unpackbits(self.legal_bits, axis=1, count=count, bitorder="little").astype(np.bool_)


class Dataset:
    """A file of decisions. Reading goes through it from the start each time that it is asked for chunks."""

    def __init__(self, file: Path) -> None:
        self._file = file
        header, _ = read_file(file)
        if header.get("format") != FORMAT or header.get("version") != VERSION:
            raise DatasetError(f"{file} is no training set of version {VERSION}; export it again")
        self.header: Mapping[str, Any] = header
        """What all matches have in common: game, rules_version, seats, options; and the planes."""
        try:
            game = registry.get(header["game"])
            self.features = features_of(game, header["seats"], game.parse_options(header["options"]))
        except (KeyError, TypeError, AttributeError) as error:
            raise DatasetError(
                f"{file} is no training set of the arena: {in_a_line(error)}; export it again"
            ) from error
        if header != header_of(self.features):
            raise DatasetError(f"{file} was written for other rules or planes of {game.name}; export it again")

    def chunks(self) -> Iterator[Positions]:
        """Yield all decisions in order, some thousand at a time. Raises DatasetError if the file is damaged."""
        _, chunks = read_file(self._file)
        while True:
            try:
                columns = next(chunks, None)
                positions = None if columns is None else self._positions(columns)
            except DAMAGE as error:
                raise DatasetError(f"{self._file} is damaged: {in_a_line(error)}; export it again") from error
            if positions is None:
                return
            yield positions

    def _positions(self, columns: Columns) -> Positions:
        records = np.zeros(len(columns["actions"]), self.features.record)
        for name in self.features.record.names or ():
            records[name] = columns[name].reshape(records[name].shape)
        others = ("actions", "seats", "plies", "by_bot", "ranks", "rewards", "matches")
        return Positions(self.features, records, columns["legal"], *(columns[name] for name in others))

    def positions(self) -> Positions:
        """Return all decisions at once, which takes room for all of them."""
        chunks = list(self.chunks())
        if not chunks:
            raise DatasetError(f"{self._file} has no decision")
        names = [field.name for field in fields(Positions)[1:]]
        return Positions(self.features, *(np.concatenate([getattr(chunk, name) for chunk in chunks]) for name in names))


def header_of(features: Features) -> dict[str, Any]:
    """Return what a file says of all its decisions."""
    game = features.game
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": game.name,
        "rules_version": game.rules_version,
        "seats": features.seats,
        "options": game.options_json(features.options),
        "planes": list(features.names),
        "board": list(features.shape[1:]),
        "actions": len(game.actions),
    }


def load(file: str | Path) -> Dataset:
    """Return the training set in a file. Raises DatasetError, or UnknownGameError if its game is not installed."""
    return Dataset(Path(file))
