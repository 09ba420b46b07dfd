"""The OpenAPI of the calls: the parameters and errors that they share, the document, and a page made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Annotated, Any, Final

from fastapi import APIRouter, FastAPI, Path, Query, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import JSONResponse, Response

from arena.web.middleware.errors import PREFIX as PREFIX
from arena.web.shared.rendering import render
from ratings.values.page import DEFAULT_LIMIT, MOST_LIMIT

router = APIRouter(include_in_schema=False)
OPENAPI: Final = f"{PREFIX}/openapi.json"
_ABOUT: Final = (
    "Everything that the pages of a Kingmaker Arena show, read-only and without an account. Lists come page by page: "
    "give `next` of one page as `after` of the next. Instants are microseconds since 1970 (UTC), names that end in "
    "`_us` tell microseconds. What must not be known yet is left out or answered with status 403."
)
_LONGEST_NAME = 200
_LONGEST_CURSOR = 2000
_MOST_PLIES = 2**31 - 1
Limit = Annotated[int, Query(ge=1, le=MOST_LIMIT, description="How many items at most.")]
After = Annotated[
    str | None, Query(max_length=_LONGEST_CURSOR, description="Where to go on: `next` of the page before.")
]
Plies = Annotated[int | None, Query(ge=0, le=_MOST_PLIES, description="A number of plies.")]
Name = Annotated[str | None, Query(max_length=_LONGEST_NAME)]
BotPath = Annotated[
    str, Path(max_length=_LONGEST_NAME, description="`name`, `owner/name`, or either with `@` and a hash.")
]
TournamentPath = Annotated[str, Path(max_length=_LONGEST_NAME, description="Its name or its id.")]
MatchPath = Annotated[str, Path(max_length=_LONGEST_NAME, description="Its id, or a beginning or end of it.")]
PoolPath = Annotated[str, Path(max_length=_LONGEST_NAME, description="Its id, or a beginning of it.")]
USUAL: Final = DEFAULT_LIMIT


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is wrong with a request."""

    status: int
    message: str
    """One line, with the remedy where there is one."""


@dataclass(frozen=True, slots=True)
class Problem:
    """The answer to a request that cannot be answered otherwise."""

    error: Wrong


ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    "4XX": {"model": Problem, "description": "What was asked for cannot be shown; `message` says why."},
    "503": {"model": Problem, "description": "The arena cannot answer now."},
}
"""What every call may answer besides what it is asked for."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call as the page shows it."""

    path: str
    summary: str
    parameters: tuple[tuple[str, str, str], ...]
    """Name, type and description of each."""
    answer: str


def document_of(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI of an application, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title="Kingmaker Arena", version=version("kingmaker-arena"), description=_ABOUT, routes=app.routes
        )
        for path in made["paths"].values():
            for call in path.values():
                for status in ("4XX", "503"):
                    content = call["responses"][status]["content"]
                    content["application/problem+json"] = content.pop("application/json")
                call["responses"]["304"] = {"description": "It is as it was when its ETag was given."}
        app.openapi_schema = made
    return app.openapi_schema


@router.get("/openapi.json")
def openapi(request: Request) -> Response:
    """Return the OpenAPI."""
    return JSONResponse(document_of(request.app))


@router.get("")
def explain(request: Request) -> Response:
    """Show what can be asked, as a page."""
    calls: dict[str, list[Call]] = {}
    for path, found in document_of(request.app)["paths"].items():
        for call in found.values():
            parameters = tuple(
                (one["name"], _kind(one["schema"]), one.get("description", "")) for one in call.get("parameters", ())
            )
            answer = call["responses"]["200"]["content"]["application/json"]["schema"]
            calls.setdefault(call["tags"][0], []).append(Call(path, call["description"], parameters, _kind(answer)))
    return render(request, "pages/api.html", groups=calls, openapi=OPENAPI)


def _kind(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2].replace("_", " ").strip()
    if "anyOf" in schema:
        return " | ".join(_kind(one) for one in schema["anyOf"] if one.get("type") != "null")
    if schema.get("type") == "array":
        return f"{_kind(schema.get('items', {}))}[]"
    return str(schema.get("type", "object"))
