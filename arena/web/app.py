"""Opens the site of a database, and makes its web application: pages, API, files, rules against misuse. No sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import cache, partial
from typing import Final

from fastapi import APIRouter, FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute

from arena.app.arena import open_for_visitors
from arena.model.human_play import PlayLimits
from arena.rpc.errors import LoginError
from arena.web.api import bots as bot_calls
from arena.web.api import feed, openapi
from arena.web.api import games as game_calls
from arena.web.api import matches as match_calls
from arena.web.api import pools as pool_calls
from arena.web.api import tournaments as tournament_calls
from arena.web.api.openapi import ANSWERS, PREFIX
from arena.web.middleware.caching import ETagMiddleware, PageCacheMiddleware
from arena.web.middleware.errors import install_errors
from arena.web.middleware.rate_limits import RateLimitMiddleware, TokenBuckets
from arena.web.middleware.request_checks import AddressCheckMiddleware, BodyLimitMiddleware, HostCheckMiddleware
from arena.web.middleware.response_headers import HeadRequestMiddleware, SecurityHeadersMiddleware, ShutdownMiddleware
from arena.web.official_fitting import Fitter
from arena.web.owners import pages as owners
from arena.web.owners import sessions, submissions
from arena.web.owners.sessions import NotSignedInError, SessionStore, answer_strangers
from arena.web.owners.submissions import MOST_FOLLOWERS
from arena.web.pages import bots, exports, front, leaderboards, matches, proofs, tournaments
from arena.web.pages import game_catalog as games
from arena.web.people import new_table_form as lobby
from arena.web.people import pages as people
from arena.web.people.tables import open_tables
from arena.web.shared import visitor
from arena.web.shared.answer_cache import AnswerCache, VersionRecords
from arena.web.shared.helper_process import IDLE, HelperProcess
from arena.web.shared.official_tables import OfficialTables
from arena.web.shared.rendering import STATIC, HashedStaticFiles
from arena.web.shared.site import NOBODY, Site
from arena.web.shared.streams import OpenStreams
from arena.web.viewer import spectators
from arena.web.viewer.spectators import Hub, watch_service
from arena.web.viewer.stories import ReplayChecks, StoryCache, story_renderer

_LEAST_ZIPPED_BYTES = 1000
CALLS: Final[Sequence[APIRouter]] = (
    pool_calls.router,
    bot_calls.router,
    tournament_calls.router,
    tournament_calls.comparisons,
    match_calls.router,
    pool_calls.ladders,
    game_calls.router,
)
"""The calls of the API, in the order in which the OpenAPI describes them."""
ROUTERS: Final[Sequence[APIRouter]] = (
    bots.router,
    spectators.router,
    submissions.router,
    owners.router,
    sessions.router,
    exports.router,
    front.router,
    games.router,
    leaderboards.router,
    matches.router,
    lobby.router,
    people.router,
    visitor.router,
    proofs.router,
    tournaments.router,
)
"""The pages. What is listed here and among the calls is served, with the documents of the API, and nothing else."""


@contextmanager
def open_site(
    db: str,
    service: str | None = None,
    *,
    is_secure: bool = False,
    people: PlayLimits = NOBODY,
    names: tuple[str, ...] | None = None,
    is_helped: bool = False,
) -> Iterator[Site]:
    """Open the site of a database, a path or URL, as somebody without a login may see it; it is closed at the end.

    The database is read and never written.

    `service` is where the service is reached that plays over it, if there is one; `people` may play there, `names` are
    those by which browsers may ask for it, None for any. With `is_helped` processes of their own do what takes long, as
    a site that many look at needs.
    Raises the errors of `ratings.store.database.open_for_reading`.
    """
    with ExitStack() as stack:
        arena = stack.enter_context(open_for_visitors(db))
        fitter, of_all = Fitter(db), Fitter(db)
        official, overall = OfficialTables(fitter.fit), OfficialTables(of_all.fit_overall)
        for one in (official, overall, fitter, of_all):  # the last first, as tables may wait for a fit
            stack.callback(one.close)
        helper, counter = (HelperProcess(db), HelperProcess(db, IDLE)) if is_helped else (None, None)
        for process in (helper, counter):
            if process is not None:
                stack.callback(process.close)
        yield Site(
            *(arena, service, is_secure),
            official=official,
            overall=overall,
            people=people,
            names=names,
            helper=helper,
            counter=counter,
        )


def make_app(site: Site) -> FastAPI:
    """Return the application that shows a site."""
    app = FastAPI(title="Kingmaker Arena", docs_url=None, redoc_url=None, openapi_url=None, lifespan=_open_tables)
    app.state.site = site
    app.state.hub = None if site.service is None else Hub(watch_service(site.service))
    app.state.sessions = SessionStore()
    app.state.followers = OpenStreams(MOST_FOLLOWERS)
    app.state.on_stop = [app.state.followers.close, *([] if app.state.hub is None else [app.state.hub.close])]
    app.state.stories, app.state.replay_checks = StoryCache(story_renderer(site.helper)), ReplayChecks()
    app.state.answers, app.state.records = AnswerCache(site.helper, site.counter), VersionRecords()
    app.router.routes.extend(_routes())
    app.mount("/static", HashedStaticFiles(STATIC), name="static")
    install_errors(app)
    for stranger in (NotSignedInError, LoginError):
        app.add_exception_handler(stranger, answer_strangers)
    app.add_middleware(PageCacheMiddleware, mark=partial(_mark_of, site))
    buckets = TokenBuckets(site.requests_per_second, site.requests_at_once)
    app.add_middleware(RateLimitMiddleware, buckets=buckets)
    app.add_middleware(BodyLimitMiddleware)
    app.add_middleware(AddressCheckMiddleware)
    app.add_middleware(ETagMiddleware)
    app.add_middleware(HostCheckMiddleware, names=site.names)
    app.add_middleware(GZipMiddleware, minimum_size=_LEAST_ZIPPED_BYTES, compresslevel=5)
    app.add_middleware(HeadRequestMiddleware)
    app.add_middleware(SecurityHeadersMiddleware, is_secure=site.is_secure)
    app.add_middleware(ShutdownMiddleware)
    return app


@cache
def _routes() -> Sequence[BaseRoute]:
    """Return the routes of every application. They are made once: to inspect all calls takes a quarter of a second."""
    found, calls = APIRouter(), APIRouter(prefix=PREFIX, responses=ANSWERS)
    for router in CALLS:
        calls.include_router(router)
    found.include_router(calls)
    found.include_router(openapi.router, prefix=PREFIX)
    for router in (feed.router, bot_calls.badges, *ROUTERS):
        found.include_router(router, include_in_schema=False)
    return found.routes


def _mark_of(site: Site) -> tuple[int, int] | None:
    """Return a value that changes whenever a page may change; `None` if that is unknown."""
    mark = site.arena.overview.mark()
    tables = (site.official, site.overall)
    return None if mark is None else (mark, sum(0 if one is None else one.turn for one in tables))


@asynccontextmanager
async def _open_tables(app: FastAPI) -> AsyncIterator[None]:
    """Let people sit down for as long as pages are served."""
    async with open_tables(app.state.site) as game_tables:
        app.state.game_tables = game_tables
        yield
