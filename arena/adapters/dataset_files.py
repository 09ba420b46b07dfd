"""The files of training sets: columns of NumPy in chunks, written one after the other and never held together.

A `.npz` is one that `numpy.load` reads: the text `header`, and the columns of chunk 0 as `000000/actions` and so on.
A `.parquet` has the same columns, arrays of more dimensions as lists of fixed size, and the header in its metadata; it
needs pyarrow. What the columns are says `arena.adapters.dataset`.
"""

from __future__ import annotations

import importlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final, Protocol

import numpy as np

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
        arrow = self._arrow
        made = {name: self._column(array) for name, array in columns.items()}
        if self._writer is None:
            schema = arrow.schema([(name, column.type) for name, column in made.items()])
            schema = schema.with_metadata({_HEADER: json.dumps(self._header)})
            self._writer = arrow.parquet.ParquetWriter(self._stream, schema, compression="zstd")
        self._writer.write_table(arrow.table(made, schema=self._writer.schema))

    def _column(self, array: Any) -> Any:
        arrow = self._arrow
        if array.dtype.kind == "S":
            return arrow.array(array.astype("U").tolist(), arrow.string()).dictionary_encode()
        flat = arrow.array(np.ascontiguousarray(array).reshape(-1))
        if array.ndim == 1:
            return flat
        return arrow.FixedSizeListArray.from_arrays(flat, int(np.prod(array.shape[1:])))

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
                yield {name: _array(column) for name, column in zip(rows.schema.names, rows.columns, strict=True)}

    return header, chunks()


def _array(column: Any) -> Any:
    """Return a column as an array: lists of fixed size as its rows, texts as bytes."""
    if hasattr(column, "dictionary"):
        return np.array(column.to_pylist(), "S")
    if hasattr(column.type, "list_size"):
        return column.flatten().to_numpy(zero_copy_only=False).reshape(len(column), column.type.list_size)
    return column.to_numpy(zero_copy_only=False)


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
