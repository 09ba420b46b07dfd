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

The columns are written in chunks, one after the other, and never held together. A `.npz` is one that `numpy.load`
reads: the text `header`, and the columns of chunk 0 as `000000/actions` and so on. A `.parquet` has the same columns,
arrays of more dimensions as lists of fixed size, and the header in its metadata; it needs pyarrow.
"""

from __future__ import annotations

import importlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from arena.adapters.features import Features, features_of
from engine import registry

FORMAT: Final = "arena.dataset"
VERSION: Final = 1
Columns = Mapping[str, Any]
"""Arrays of equal length by name."""
KINDS: Final = (".npz", ".parquet")
"""The ends of the names of files."""
_HEADER: Final = "header"
_LEVEL: Final = 6
_LONGEST_SAID: Final = 200
_ROWS: Final = 8192
"""So many rows of a Parquet file are read at once."""
DAMAGE: Final = (
    KeyError,
    TypeError,
    ValueError,
    OSError,
    EOFError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What reading raises where a file is missing, cut off, or has other bytes than were written."""


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
                if (columns := next(chunks, None)) is None:
                    return
                records = np.zeros(len(columns["actions"]), self.features.record)
                for name in self.features.record.names or ():
                    records[name] = columns[name].reshape(records[name].shape)
                others = ("actions", "seats", "plies", "by_bot", "ranks", "rewards", "matches")
                positions = Positions(self.features, records, columns["legal"], *(columns[name] for name in others))
            except DAMAGE as error:
                raise DatasetError(f"{self._file} is damaged: {in_a_line(error)}; export it again") from error
            yield positions

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


class DatasetError(ValueError):
    """The file is no training set that can be read here, or cannot be written; the message says why and what helps."""


def in_a_line(error: Exception) -> str:
    """Return what an error says; what cannot be printed, which damaged bytes bring along, is left out."""
    said = "".join(letter if letter.isprintable() else " " for letter in str(error))
    return " ".join(said.split())[:_LONGEST_SAID].rstrip(". ")


class Writer(Protocol):
    """Writes one file."""

    def write(self, columns: Columns) -> None:
        """Add a chunk; each has the same columns."""

    def close(self) -> None:
        """Write the end."""


class NpzWriter:
    """Writes an archive of NumPy's arrays."""

    def __init__(self, stream: IO[bytes], header: Mapping[str, Any]) -> None:
        self._archive = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)
        self._chunks = 0
        self._add(_HEADER, np.array(json.dumps(header)))

    def write(self, columns: Columns) -> None:
        for name, array in columns.items():
            self._add(f"{self._chunks:06}/{name}", array)
        self._chunks += 1

    def _add(self, name: str, array: Any) -> None:
        written = io.BytesIO()
        np.lib.format.write_array(written, np.asarray(array, order="C"), allow_pickle=False)
        member = zipfile.ZipInfo(f"{name}.npy")  # without the time, so that equal data are equal files
        member.compress_type = zipfile.ZIP_DEFLATED
        member.external_attr = 0o644 << 16
        self._archive.writestr(member, written.getbuffer(), compresslevel=_LEVEL)

    def close(self) -> None:
        self._archive.close()


class ParquetWriter:
    """Writes a Parquet file. Raises DatasetError if pyarrow is not there."""

    def __init__(self, stream: IO[bytes], header: Mapping[str, Any]) -> None:
        self._arrow = _arrow()
        self._stream, self._header = stream, header
        self._writer: Any = None

    def write(self, columns: Columns) -> None:
        arrow, made = self._arrow, {}
        for name, array in columns.items():
            if array.dtype.kind == "S":
                made[name] = arrow.array(array.astype("U").tolist(), arrow.string()).dictionary_encode()
                continue
            made[name] = arrow.array(np.ascontiguousarray(array).reshape(-1))
            if array.ndim > 1:
                made[name] = arrow.FixedSizeListArray.from_arrays(made[name], int(np.prod(array.shape[1:])))
        if self._writer is None:
            schema = arrow.schema([(name, column.type) for name, column in made.items()])
            schema = schema.with_metadata({_HEADER: json.dumps(self._header)})
            self._writer = arrow.parquet.ParquetWriter(self._stream, schema, compression="zstd")
        self._writer.write_table(arrow.table(made, schema=self._writer.schema))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def writer_for(file: Path, stream: IO[bytes], header: Mapping[str, Any]) -> Writer:
    """Return what writes a file of the kind that its name ends with. Raises DatasetError."""
    need_kind(file)
    return ParquetWriter(stream, header) if file.suffix == ".parquet" else NpzWriter(stream, header)


def need_kind(file: Path) -> None:
    """Raise DatasetError unless a training set can be written to, or read from, a file of that name."""
    if file.suffix not in KINDS:
        raise DatasetError(f"{file.name} is no name of a training set; name a file that ends with {' or '.join(KINDS)}")
    if file.suffix == ".parquet":
        _arrow()


def read_file(file: Path) -> tuple[Mapping[str, Any], Iterator[Columns]]:
    """Return the header of a file, and its chunks as they are read. Raises DatasetError."""
    need_kind(file)
    try:
        header, chunks = _read_parquet(file) if file.suffix == ".parquet" else _read_npz(file)
        if not isinstance(header, dict):
            raise ValueError("its header is no object")
    except FileNotFoundError as error:
        raise DatasetError(f"there is no file {file}; `arena replay dataset` writes one") from error
    except (IsADirectoryError, PermissionError) as error:
        raise DatasetError(f"{file} cannot be read: {error.strerror}; name another file") from error
    except DAMAGE as error:
        raise DatasetError(f"{file} is no training set of the arena: {in_a_line(error)}; export it again") from error
    return header, chunks


def _read_npz(file: Path) -> tuple[Mapping[str, Any], Iterator[Columns]]:
    with file.open("rb") as stream, _archive(stream) as archive:
        header = json.loads(str(archive[_HEADER][()]))
        names = sorted(name for name in archive.files if name != _HEADER)

    def chunks() -> Iterator[Columns]:
        with file.open("rb") as stream, _archive(stream) as archive:
            for number in sorted({name.partition("/")[0] for name in names}):
                inside = [name for name in names if name.startswith(f"{number}/")]
                yield {name.partition("/")[2]: archive[name] for name in inside}

    return header, chunks()


def _archive(stream: IO[bytes]) -> np.lib.npyio.NpzFile:
    """Return the arrays of an open file, which `numpy.load` would leave open if it is none of its own."""
    archive = np.load(stream, allow_pickle=False)
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise ValueError("it is one array alone")
    return archive


def _read_parquet(file: Path) -> tuple[Mapping[str, Any], Iterator[Columns]]:
    arrow = _arrow()
    read = arrow.parquet.ParquetFile(file)
    header = json.loads(read.schema_arrow.metadata[_HEADER.encode()])

    def chunks() -> Iterator[Columns]:
        with read:
            for rows in read.iter_batches(batch_size=_ROWS):
                columns = {}
                for name, column in zip(rows.schema.names, rows.columns, strict=True):
                    if hasattr(column, "dictionary"):
                        columns[name] = np.array(column.to_pylist(), "S")
                        continue
                    size = getattr(column.type, "list_size", None)
                    flat = (column if size is None else column.flatten()).to_numpy(zero_copy_only=False)
                    columns[name] = flat if size is None else flat.reshape(len(column), size)
                yield columns

    return header, chunks()


def _arrow() -> Any:
    """Return pyarrow, which is loaded when a Parquet file is read or written. Raises DatasetError."""
    try:
        importlib.import_module("pyarrow.parquet")
    except Exception as error:  # whatever it is that a package raises which does not fit those beside it
        why = "Parquet needs pyarrow, which is not installed here"
        if not isinstance(error, ModuleNotFoundError):
            why = f"Parquet needs pyarrow, which cannot be loaded ({in_a_line(error)})"
        raise DatasetError(f"{why}; pip install pyarrow, or name a file that ends with .npz") from error
    return importlib.import_module("pyarrow")
