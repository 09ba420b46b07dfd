"""The page on which a browser checks a tournament, and the file of a tournament that it checks."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from arena.i18n.catalogue import words
from arena.web.shared.rendering import render
from arena.web.shared.site import answers_of, arena_of
from arena.web.shared.visitor import language_of

router = APIRouter()
FILE: Final = "tournament.arena"
_TEXTS: Final = (
    *("ok", "failed", "skipped", "holds", "fails", "about", "unfetched", "no_crypto"),
    *("part_file", "part_signatures", "part_terms", "part_secret", "part_complete", "part_schedule", "part_signed"),
    *("part_chances", "part_replays", "problem_line", "problem_cut", "problem_none", "problem_gap", "problem_forged"),
    *("problem_unclosed", "problem_terms", "problem_secret", "problem_twice", "problem_extra", "problem_missing"),
    *("problem_unsigned", "problem_wave", "problem_result", "problem_chance", "problem_replay", "problem_odd"),
    *("cannot_ed25519", "cannot_digest"),
)
"""What the script says."""
_PLACES: Final = {
    name: f"{{{name}}}" for name in ("count", "line", "entry", "match", "wave", "block", "commitment", "key")
}
"""The script fills these in."""


@router.get("/verify")
def show_verification(request: Request, tournament: Annotated[str, Query(max_length=200)] = "") -> Response:
    """Show the page that checks a file, and the file of a tournament of this arena if one is named."""
    found = answers_of(request).get_tournament(arena_of(request), tournament) if tournament else None
    say = words(language_of(request)).say
    texts = {name: say(f"proof.{name}", **_PLACES) for name in _TEXTS}
    file = "monday.arena" if found is None else f"{request.base_url}tournaments/{found.summary.id}/{FILE}"
    return render(request, "pages/verify.html", found=found, texts=texts, file=file)


@router.get("/tournaments/{tournament}/tournament.arena")
def send_tournament(request: Request, tournament: Annotated[str, PathParameter(max_length=200)]) -> Response:
    """Send a tournament that is over as one file, as everybody may have it."""
    directory = tempfile.TemporaryDirectory(prefix="arena-export-")
    try:
        target = Path(directory.name) / FILE
        arena_of(request).overview.export_tournament(tournament, target)
    except BaseException:
        directory.cleanup()
        raise
    headers = {"cache-control": "no-store"}
    return FileResponse(
        target, media_type="text/plain", filename=FILE, headers=headers, background=BackgroundTask(directory.cleanup)
    )
