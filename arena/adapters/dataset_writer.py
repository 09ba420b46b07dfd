"""Makes training sets of replays: each match is played again, and each of its decisions becomes a row.

Some thousand decisions are in memory at once, whatever there are in all. What a file has is said in
`arena.adapters.dataset`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final, Self

import numpy as np

from arena.adapters.batch import rewards_of
from arena.adapters.dataset import Writer, header_of, writer_for
from arena.adapters.features import Features, features_of
from arena.match.decisions import DecidedBy
from engine import registry
from engine.chance import ScriptedChance
from engine.core import EngineError

CHUNK: Final = 8192
"""So many decisions are written at once."""


class UnreplayableError(ValueError):
    """A match cannot be played again here."""


class OtherGameError(ValueError):
    """A match is of another game, with other seats or options than those before; the message says which."""


class Export:
    """A training set that is being written to a stream; `file` tells by its name of which kind.

    It is whole at the end of its `with` block; what is there after an error is good for nothing.
    """

    def __init__(self, file: Path, stream: IO[bytes]) -> None:
        self._file, self._stream = file, stream
        self._writer: Writer | None = None
        self._rows: _Rows | None = None
        self._what: Mapping[str, Any] = {}
        self.positions = 0
        """How many decisions there are so far."""

    def add(self, document: Mapping[str, Any]) -> None:
        """Add the decisions of a replay, as `arena.match.replay.load` reads it.

        Raises UnreplayableError, OtherGameError, and AbilityError if its game gives no planes; nothing is added then.
        """
        what = {key: document[key] for key in ("game", "rules_version", "options")} | {"seats": len(document["seats"])}
        if self._rows is None or self._what["game"] == document["game"]:
            what["options"] = registry.get(document["game"]).asked_options(document["options"])
        if self._rows is None:
            game = registry.get(document["game"])
            if document["rules_version"] != game.rules_version:
                raise UnreplayableError(
                    f"played by rules {document['rules_version']}; installed are {game.rules_version}"
                )
            features = features_of(game, what["seats"], game.parse_options(what["options"]))
            self._writer = writer_for(self._file, self._stream, header_of(features))
            self._rows, self._what = _Rows(features), what
        elif (before := self._what) != what:
            if before["game"] != what["game"]:
                raise OtherGameError(f"matches of {before['game']} and of {what['game']}")
            key = next(key for key in ("seats", "rules_version", "options") if before[key] != what[key])
            kind = key.replace("_", " ")
            raise OtherGameError(f"matches of {before['game']} with {kind} {before[key]} and with {what[key]}")
        self.positions += self._rows.add(document)
        if self._rows.count >= CHUNK:
            self._flush()

    def _flush(self) -> None:
        assert self._rows is not None
        assert self._writer is not None
        self._writer.write(self._rows.columns())
        self._rows.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *what: object) -> None:
        if self._writer is None:
            return
        if kind is None:
            if self._rows is not None and self._rows.count:
                self._flush()
            self._writer.close()
            return
        with suppress(OSError, ValueError):  # the error that is under way is told
            self._writer.close()


class _Rows:
    """The decisions that are not written yet; a match is never parted, so that what is there may be over a chunk."""

    def __init__(self, features: Features) -> None:
        self._features = features
        self._records = bytearray()
        self._actions = len(features.game.actions)
        self.clear()

    def clear(self) -> None:
        """Forget all rows."""
        self._records.clear()
        self._choices: list[int] = []
        self._rows_of_choices: list[int] = []
        self._made: dict[str, list[Any]] = {
            name: [] for name in ("actions", "seats", "plies", "by_bot", "ranks", "rewards", "matches")
        }

    @property
    def count(self) -> int:
        """Return how many rows there are."""
        return len(self._made["actions"])

    def add(self, document: Mapping[str, Any]) -> int:
        """Add the decisions of a match and return how many; raises UnreplayableError, and then nothing is added."""
        first, ended, choices = self.count, len(self._records), len(self._choices)
        try:
            features, made, size = self._features, self._made, self._features.record.itemsize
            game, ranks = features.game, tuple(document["result"]["ranks"])
            options = game.parse_options(document["options"])
            state = game.new_state(features.seats, options, ScriptedChance(document["chance"]))
            rewards, match = rewards_of(ranks), document["match_id"].encode()
            for entry in document["entries"]:
                seat = state.seat()
                if seat is None:
                    raise UnreplayableError("it goes on after the end of the game")
                legal = state.legal_actions()
                at = len(self._records)
                self._records += bytes(size)
                features.pack(state, seat, self._records, at)
                self._choices += legal
                self._rows_of_choices += [self.count] * len(legal)
                row = (entry["action"], seat, entry["ply"], entry["by"] == DecidedBy.BOT.value, ranks, rewards, match)
                for key, value in zip(made.values(), row, strict=True):
                    key.append(value)
                state.apply(entry["action"])
        except (EngineError, KeyError, TypeError, ValueError) as error:
            del self._records[ended:], self._choices[choices:], self._rows_of_choices[choices:]
            for column in self._made.values():
                del column[first:]
            raise UnreplayableError(str(error)) from error
        return self.count - first

    def columns(self) -> dict[str, Any]:
        """Return all rows as arrays."""
        records = np.frombuffer(bytes(self._records), self._features.record)
        legal = np.zeros((self.count, self._actions), np.bool_)
        legal[self._rows_of_choices, self._choices] = True
        types = {"actions": np.int32, "seats": np.int8, "plies": np.int32, "by_bot": np.bool_, "ranks": np.int8}
        return {
            **{name: records[name] for name in records.dtype.names or ()},
            "legal": np.packbits(legal, axis=1, bitorder="little"),
            **{name: np.array(values, types.get(name)) for name, values in self._made.items() if name in types},
            "rewards": np.array(self._made["rewards"], np.float32),
            "matches": np.array(self._made["matches"], "S"),
        }
