"""What people hold to prove who they are: tokens and invitation codes, of which only a hash is ever stored."""

from __future__ import annotations

import hashlib
import secrets

TOKEN_PREFIX = "kma_"
CODE_PREFIX = "kmi_"
_TOKEN_BYTES = 32
_CODE_BYTES = 16


def new_token_text() -> str:
    """Return a new token, random as a whole."""
    return TOKEN_PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)


def new_code_text() -> str:
    """Return a new invitation code, random as a whole."""
    return CODE_PREFIX + secrets.token_urlsafe(_CODE_BYTES)


def token_digest(text: str) -> str:
    """Return what is stored of a token or code: its SHA-256, in hexadecimal digits.

    It needs no salt, as nobody can guess what is random.
    """
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
