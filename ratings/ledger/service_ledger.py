"""The one place that writes what a service keeps besides the matches: owners, tokens, admissions, versions in use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session

from engine.translatable import Text
from ratings.ledger import accounts, admissions, annulments, bots, rebuild
from ratings.ledger import participation as entrants
from ratings.ledger import remote_bots as remotes
from ratings.ledger.accounts import IssuedInvitation, IssuedToken, Redeemed
from ratings.ledger.bots import NewVersion
from ratings.ledger.participation import Noted, sync_ladders
from ratings.ledger.remote_bots import JoinedVersion, RemoteJoin
from ratings.store.database import Database
from ratings.store.identifiers import now_us
from ratings.store.ladder_queries import is_admitted
from ratings.store.models import BotRecord, OwnerRecord, VersionRecord
from ratings.store.service import AdmissionRecord, AdmissionRow, NoticeRecord, TokenRecord
from ratings.store.sessions import get_owner, get_version, write
from ratings.values.owners import OwnerLimits
from ratings.values.states import Scope
from ratings.values.tournament_incidents import Annulled


@dataclass(frozen=True, slots=True)
class Submission:
    """What became of a version that somebody handed in."""

    version: VersionRecord
    is_new: bool
    """False if the bot had these files before."""
    admission: AdmissionRecord | None
    """What it waits for; `None` if it needs no admission, or was admitted before."""


class ServiceLedger:
    """Writes what a service keeps besides the matches. Each method is one transaction: all of it happens, or nothing.

    Only ratings are computed anew in several, which say so. Whatever another method raises, nothing was written.
    Besides the errors named, each may raise a DatabaseError.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_owner(self, name: str) -> OwnerRecord:
        """Write a new owner. Raises AccountError for a name that is taken or cannot be."""
        with write(self._database) as session:
            return accounts.add_owner(session, name)

    def ensure_people(self) -> OwnerRecord:
        """Return the owner of the seats that people take, which is made if needed."""
        with write(self._database) as session:
            return accounts.people_owner(session)

    def set_owner_disabled(self, name: str, *, disabled: bool) -> OwnerRecord:
        """Bar an owner from the service, or let them in again. Raises NotFoundError."""
        with write(self._database) as session:
            owner = accounts.set_owner_disabled(session, name, disabled=disabled)
            sync_ladders(session, owner)
            return owner

    def set_owner_limits(self, name: str, limits: Mapping[str, Any], *, resets: bool = False) -> OwnerRecord:
        """Give an owner limits of their own; those not named stay, or are again those of all owners if it `resets`.

        Raises NotFoundError, and AccountError for a name that is no limit or a number that cannot be.
        """
        with write(self._database) as session:
            return accounts.set_owner_limits(session, name, limits, resets=resets)

    def new_token(self, owner: str | None, *, name: str, scope: Scope, expires_at_us: int | None = None) -> IssuedToken:
        """Write a new token of an owner; without one it is an organiser's.

        Raises NotFoundError for the owner, and AccountError for a name that cannot be or is taken, an instant that has
        passed, a disabled owner, and a token without owner that is neither an organiser's nor a viewer's.
        """
        with write(self._database) as session:
            holder = _owner(session, owner)
            return accounts.new_token(session, holder, name=name, scope=scope, expires_at_us=expires_at_us)

    def revoke_token(self, text: str, *, owner: str | None = None, of_anybody: bool = False) -> TokenRecord:
        """Revoke the token of that id or name among those of `owner` (the organiser's own if `None`).

        With `of_anybody`, the id may be that of any token. One that is revoked already stays as it is. Raises
        NotFoundError.
        """
        with write(self._database) as session:
            return accounts.revoke_token(session, text, _owner(session, owner), of_anybody=of_anybody)

    def note_token_use(self, ids: Collection[str], at_us: int | None = None) -> None:
        """Write that tokens were used, to the minute; ids that are unknown are left out."""
        with write(self._database) as session:
            accounts.note_token_use(session, ids, now_us() if at_us is None else at_us)

    def invite(self, owner_name: str, *, scope: Scope = Scope.COMPETITOR, expires_at_us: int) -> IssuedInvitation:
        """Write an invitation for an owner, who need not exist yet.

        Raises AccountError for a name that cannot be, a disabled owner, and an instant that has passed.
        """
        with write(self._database) as session:
            return accounts.invite(session, owner_name, scope=scope, expires_at_us=expires_at_us)

    def redeem(self, code: str, *, token_name: str) -> Redeemed:
        """Make an invitation code the owner and the token that it promises; it works once.

        Raises InvitationError for a code that is unknown, used or expired, AccountError for a disabled owner or a name
        that the token cannot have.
        """
        with write(self._database) as session:
            return accounts.redeem(session, code, token_name=token_name)

    def annul_match(self, match_id: str, *, why: str, actor: str) -> Annulled:
        """Take a match and the others of its block out of everything that is counted, and compute the ratings anew.

        One that was annulled already stays so. All matches that were rated after it are rated once more, in further
        transactions: about 25 s for 100,000 of two seats, in which others can write. If it is killed meanwhile,
        `finish_ratings` does the rest. Raises NotFoundError.
        """
        with write(self._database) as session:
            done = annulments.annul_match(session, match_id, why=why, actor=actor)
        return self._rated_anew(done)

    def annul_version(self, version_id: str, *, why: str, actor: str) -> Annulled:
        """Annul every match that a version played or was to play, and take it out of all tournaments, for good.

        One that was annulled already stays so. It takes as long as to annul the first of its matches. Raises
        NotFoundError.
        """
        with write(self._database) as session:
            done = annulments.annul_version(session, version_id, why=why, actor=actor)
            admissions.withdraw_admissions_of(session, version_id, Text("the version was annulled"))
            sync_ladders(session)
        return self._rated_anew(done)

    def finish_ratings(self, pool_id: str, is_stopping: Callable[[], bool] = lambda: False) -> bool:
        """Compute the ratings of a pool anew from where somebody who annulled something had to leave off.

        Return False if it `is_stopping` before it is done; nothing is lost then. Each piece is a transaction. Raises
        NotFoundError.
        """
        return rebuild.finish(self._database, pool_id, is_stopping)

    def _rated_anew(self, done: Annulled) -> Annulled:
        for pool_id in done.pools:
            rebuild.finish(self._database, pool_id)
        return done

    def add_notice(self, owner_id: str | None, subject: str, sentence: str) -> NoticeRecord:
        """Write something that an owner is told; `None` for everybody."""
        with write(self._database) as session:
            return accounts.add_notice(session, owner_id, subject, sentence)

    def promote(self, version_id: str, *, actor: str, message: str = "") -> BotRecord:
        """Make a version the active one of its bot, if it is not. Return the bot.

        Raises NotFoundError, and BotError for a version that was withdrawn or annulled, and for one of an owner that
        was not admitted.
        """
        with write(self._database) as session:
            bot = bots.promote(session, version_id, actor=actor, message=message)
            sync_ladders(session, bot)
            return bot

    def note_not_promoted(self, version_id: str, *, actor: str, message: str, notice: tuple[str, str]) -> None:
        """Write that an admitted version did not become active, and why; tell its owner. Raises NotFoundError.

        `notice` is the subject and the sentence that the owner is told.
        """
        with write(self._database) as session:
            bots.note_not_promoted(session, version_id, actor=actor, message=message)
            bot = session.get_one(BotRecord, get_version(session, version_id).bot_id)
            accounts.add_notice(session, bot.owner_id, *notice)

    def withdraw_version(self, version_id: str, *, actor: str, message: str = "") -> BotRecord:
        """Take a version out for good, and return its bot, which has no active version if it was this one.

        A version that was withdrawn already stays as it is. Raises NotFoundError.
        """
        with write(self._database) as session:
            bot = bots.withdraw_version(session, version_id, actor=actor, message=message)
            admissions.withdraw_admissions_of(session, version_id, Text("the version was withdrawn"))
            sync_ladders(session, bot)
            return bot

    def rollback(self, bot: str, *, actor: str, message: str = "") -> VersionRecord:
        """Make the version of a bot active again that was active before, and return it.

        Raises NotFoundError, and BotError if there is none.
        """
        with write(self._database) as session:
            version = bots.rollback(session, bot, actor=actor, message=message)
            sync_ladders(session, version)
            return version

    def note_absences(self, found: Mapping[str, str | None]) -> Noted:
        """Write of versions, by id, why they cannot be started, or `None` if they can, and tell their owners.

        Ladders go on without those that cannot. Return which bots are absent now and were not, and which are back.
        Raises NotFoundError.
        """
        with write(self._database) as session:
            return entrants.note_absences(session, found)

    def submit_version(
        self, new: NewVersion, *, most_versions: int | None = None, why: str | None = None
    ) -> Submission:
        """Add a version, and queue it to be admitted if its bot has an owner and it was not admitted before.

        `why` is a sentence that says what it waits for, if that is not its turn.

        Raises what `Ledger.add_version` and `request_admission` raise.
        """
        with write(self._database) as session:
            version, is_new = bots.add_version(session, new, most_versions=most_versions)
            waits = new.owner is not None and not is_admitted(session, version.id)
            admission = admissions.request_admission(session, version.id, why) if waits else None
            sync_ladders(session, version)
            return Submission(version, is_new, admission)

    def join_remote(self, join: RemoteJoin, limits: OwnerLimits) -> JoinedVersion:
        """Return the version that joins, active from now on. Raises like `ratings.ledger.remote_bots.join_remote`."""
        with write(self._database) as session:
            joined = remotes.join_remote(session, join, limits)
            if joined.has_changed:
                sync_ladders(session, joined.version)
            return joined

    def request_admission(self, version_id: str) -> AdmissionRecord:
        """Queue a version, unless it is queued or looked at already, and return its admission.

        Older versions of the bot that still wait are withdrawn. Raises NotFoundError, and AdmissionError for a version
        that was withdrawn, or whose bot or owner is disabled.
        """
        with write(self._database) as session:
            return admissions.request_admission(session, version_id)

    def take_admission(self) -> AdmissionRow | None:
        """Start the next admission and return it, or return `None` if none waits. Owners take turns."""
        with write(self._database) as session:
            return admissions.take_admission(session)

    def add_finding(self, admission_id: str, finding: Mapping[str, Any]) -> bool:
        """Add what a check found, and return True, or False if the admission is not being looked at any more.

        Raises NotFoundError.
        """
        with write(self._database) as session:
            return admissions.add_finding(session, admission_id, finding)

    def finish_admission(
        self,
        admission_id: str,
        *,
        is_admitted: bool,
        summary: str,
        findings: Sequence[Mapping[str, Any]],
        promotes: bool = True,
    ) -> bool:
        """Decide an admission and return True, or False, with nothing changed, if it is not being looked at any more.

        With `promotes`, an admitted version becomes the active one of its bot, unless a newer one is active. Raises
        NotFoundError.
        """
        with write(self._database) as session:
            is_written = admissions.finish_admission(
                session, admission_id, is_admitted=is_admitted, summary=summary, findings=findings, promotes=promotes
            )
            sync_ladders(session)
            return is_written

    def requeue_admissions(self, admission_id: str | None = None, why: str | None = None) -> int:
        """Put every admission that is being looked at, or one of them, back into the queue; return how many.

        `why` is a sentence that says what they wait for, if that is not their turn.
        """
        with write(self._database) as session:
            return admissions.requeue_admissions(session, admission_id, why)


def _owner(session: Session, name: str | None) -> OwnerRecord | None:
    return None if name is None else get_owner(session, name)
