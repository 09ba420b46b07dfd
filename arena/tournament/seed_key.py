"""The arena's own key, under which the seed of a tournament with strangers' bots works: made once, never shown.

A seed that a person chose is small, and a bot could try all small numbers until one explains the seed that it got.
Under the key, the same seed gives the same tournament again in this arena, and nobody else can compute anything from
it. The key lies beside the store of the bots, where no sandbox shows it.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.tournament.errors import RequestError
from engine.os_errors import os_error_text
from engine.translatable import Text

if TYPE_CHECKING:  # whoever signs imports it
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_SUFFIX = ".key"
_KEY_BYTES = 32
_KEY = re.compile(r"[0-9a-f]{64}\n?", re.ASCII)
_MOST_BYTES = 1 << 10


@dataclass(frozen=True, slots=True)
class SigningKey:
    """Implements `ratings.ledger.proof.Signer`: Ed25519 (RFC 8032)."""

    public_key: str
    private: Ed25519PrivateKey

    def sign(self, data: bytes) -> str:
        """Return the signature of the bytes, in hexadecimal digits."""
        return self.private.sign(data).hex()


def is_signed(public_key: str, data: bytes, signature: str) -> bool:
    """Return whether the key made that signature of the bytes. Raises ValueError for a key or signature that is none.

    Both are hexadecimal digits.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
    try:
        key.verify(bytes.fromhex(signature), data)
    except InvalidSignature:
        return False
    return True


@dataclass(frozen=True, slots=True)
class SeedKey:
    """A key in a file, which is made when it is first needed; several processes may ask at once."""

    path: Path
    asker: str = ""
    """Who gives the seeds; empty for an organiser. The same seed of two people has nothing in common."""

    @classmethod
    def beside(cls, store: Path, asker: str = "") -> SeedKey:
        """Return the key that belongs to a store of bots: `X.key` beside `X.bots`."""
        return cls(store.with_suffix(KEY_SUFFIX), asker)

    def secret_of(self, seed: int) -> bytes:
        """Return the secret of a tournament with that seed. Raises RequestError if there is no sound key to be had."""
        text = f"kingmaker-arena tournament seed {seed} of {self.asker!r}"
        try:
            return hmac.digest(self._key(), text.encode(), "sha256")
        except OSError as error:
            why = os_error_text(error)
            raise RequestError(
                Text(
                    "{path}: the arena's key cannot be used ({why}); check that path, or leave the seed out",
                    path=self.path,
                    why=why,
                )
            ) from error

    def signing_key(self) -> SigningKey:
        """Return the key by which the arena signs. Raises RequestError if there is no sound key to be had."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        try:
            private = Ed25519PrivateKey.from_private_bytes(
                hmac.digest(self._key(), b"kingmaker-arena signing key", "sha256")
            )
        except OSError as error:
            why = os_error_text(error)
            raise RequestError(
                Text("{path}: the arena's key cannot be used ({why}); check that path", path=self.path, why=why)
            ) from error
        return SigningKey(private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex(), private)

    def _key(self) -> bytes:
        with suppress(FileNotFoundError):
            return self._read()
        # The key appears whole, on the disk, for its user alone, unless another process was faster.
        unfinished = self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, f"{secrets.token_hex(_KEY_BYTES)}\n".encode("ascii"))
            os.fsync(descriptor)
            with suppress(FileExistsError):
                os.link(unfinished, self.path)
        finally:
            os.close(descriptor)
            unfinished.unlink()
        return self._read()

    def _read(self) -> bytes:
        descriptor = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            text = os.read(descriptor, _MOST_BYTES).decode("ascii", "replace")
        finally:
            os.close(descriptor)
        if not _KEY.fullmatch(text):
            raise RequestError(Text("{path}: is no key of an arena; remove it, and a new one is made", path=self.path))
        return bytes.fromhex(text.strip())
