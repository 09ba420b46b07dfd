"""The one error about control groups. The launcher imports it, so it loads nothing."""

from __future__ import annotations


class GroupError(OSError):
    """No group can be made here, or one could not be set up, which is never a bot's fault.

    The message names what is missing and, behind a semicolon, the remedy.
    """
