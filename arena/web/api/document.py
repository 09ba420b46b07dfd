"""What the API says of itself: its OpenAPI for programs, and a page for people made from the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import JSONResponse, Response

from arena.web.api.asked import PREFIX
from arena.web.shared.rendering import render

router = APIRouter(include_in_schema=False)
OPENAPI: Final = f"{PREFIX}/openapi.json"
_ABOUT: Final = (
    "Everything that the pages of a Kingmaker Arena show, read-only and without an account. Lists come page by page: "
    "give `next` of one page as `after` of the next. Instants are microseconds since 1970 (UTC), names that end in "
    "`_us` tell microseconds. What must not be known yet is left out or answered with status 403."
)


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
        app.openapi_schema = _document(app)
    return app.openapi_schema


def _document(app: FastAPI) -> dict[str, Any]:
    made = get_openapi(
        title="Kingmaker Arena", version=version("kingmaker-arena"), description=_ABOUT, routes=app.routes
    )
    for path in made["paths"].values():
        for call in path.values():
            for status in ("4XX", "503"):
                content = call["responses"][status]["content"]
                content["application/problem+json"] = content.pop("application/json")
            call["responses"]["304"] = {"description": "It is as it was when its ETag was given."}
    return made


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
            calls.setdefault(call["tags"][0], []).append(_call(path, call))
    return render(request, "pages/api.html", groups=calls, openapi=OPENAPI)


def _call(path: str, call: Mapping[str, Any]) -> Call:
    parameters = tuple(
        (one["name"], _kind(one["schema"]), one.get("description", "")) for one in call.get("parameters", ())
    )
    answer = call["responses"]["200"]["content"]["application/json"]["schema"]
    return Call(path, call["description"], parameters, _kind(answer))


def _kind(schema: Mapping[str, Any]) -> str:
    """Return what a schema stands for in a word or two."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2].replace("_", " ").strip()
    if "anyOf" in schema:
        return " | ".join(_kind(one) for one in schema["anyOf"] if one.get("type") != "null")
    if schema.get("type") == "array":
        return f"{_kind(schema.get('items', {}))}[]"
    return str(schema.get("type", "object"))
