"""`arena login`: store how a service is reached, and the token for it, under a name that `--server` takes."""

from __future__ import annotations

import re
import socket
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.shared.errors import CliError, MisuseError
from arena.cli.shared.language import named, say
from arena.cli.shared.options import example
from arena.model.errors import ClientError
from arena.rpc.profiles import check_profile_name, check_writable, load_profile, save_profile
from arena.rpc.quiet import keep_grpc_quiet
from engine.translatable import Text
from ratings.values.states import Scope

if TYPE_CHECKING:  # gRPC is imported when there is somebody to talk to
    from arena.rpc.channel import Endpoint

app = typer.Typer()

_LONGEST_TOKEN = 200


@app.command(
    epilog=example(
        "arena login arena.example.org:7733 --invitation kmi_CODE",
        "arena login 192.0.2.7:7733 --name club --fingerprint AB:CD:... --token-stdin",
    )
)
def login(
    address: Annotated[str, typer.Argument(metavar="ADDRESS")],
    name: Annotated[str | None, typer.Option()] = None,
    invitation: Annotated[str | None, typer.Option(metavar="CODE")] = None,
    token_stdin: Annotated[bool, typer.Option("--token-stdin")] = False,
    fingerprint: Annotated[str | None, typer.Option(metavar="SHA256")] = None,
) -> None:
    """Log in to a service, for commands with --server."""
    if invitation is not None and token_stdin:
        raise MisuseError(Text("--invitation and --token-stdin exclude each other; give one of them"))
    name = check_profile_name(name or _default_name(address))
    check_writable()  # before the code of an invitation is used up
    keep_grpc_quiet()
    from arena.rpc import login as connect

    endpoint = connect.meet(address, fingerprint, lambda found: _confirm(address, found, reads_token=token_stdin))
    stored = None if token_stdin or invitation is not None else _stored_token(name, address)
    token = stored or _read_token(endpoint, invitation, from_stdin=token_stdin)
    profile = connect.log_in(endpoint, name, token)
    save_profile(profile)
    who = profile.owner or say("cli_login.organisers")
    # Who may only play cannot even look.
    lists_or_connects = "cli_login.connects" if profile.scope is Scope.PLAYER else "cli_login.lists"
    typer.echo(
        say(
            "cli_login.done",
            address=address,
            who=who,
            scope=named("owner.scope_", profile.scope.value),
            next=say(lists_or_connects, name=profile.name),
        )
    )


def _default_name(address: str) -> str:
    host = address.rpartition(":")[0].strip("[]").lower()
    return re.sub(r"[^a-z0-9._-]", "-", host).strip("-.") or "service"


def _stored_token(name: str, address: str) -> str | None:
    try:
        profile = load_profile(name)
    except ClientError:
        return None  # there is none, or it is damaged and about to be replaced
    return profile.token if profile.address == address else None


def _confirm(address: str, found: str, *, reads_token: bool) -> bool:
    if reads_token or not sys.stdin.isatty():
        raise CliError(
            Text(
                "nobody vouches for the certificate of {address}; compare its fingerprint with the one that the "
                "organiser told you, then add --fingerprint {found}",
                address=address,
                found=found,
            )
        )
    typer.echo(say("cli_login.unvouched", address=address, fingerprint=found), err=True)
    return typer.confirm(say("cli_login.confirm"), err=True)


def _read_token(endpoint: Endpoint, invitation: str | None, *, from_stdin: bool) -> str:
    if invitation is not None:
        from arena.rpc.login import redeem

        return redeem(endpoint, invitation.strip(), re.sub(r"[^a-z0-9_-]", "-", socket.gethostname().lower())[:40])
    if from_stdin:
        token = sys.stdin.read(_LONGEST_TOKEN + 1).removeprefix("\ufeff").strip()
    elif sys.stdin.isatty():
        token = str(typer.prompt("Token", hide_input=True, err=True)).strip()
    else:
        raise MisuseError(
            Text("there is nobody to ask for the token; give --token-stdin and the token on the standard input")
        )
    if not token or len(token) > _LONGEST_TOKEN or not token.isascii() or any(char.isspace() for char in token):
        raise MisuseError(Text("this is no token; give the one line that begins with kma_, as the organiser sent it"))
    return token
