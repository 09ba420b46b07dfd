"""Makes the web application of a site: its pages, its files, its rules against misuse. No socket is opened here."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial

from fastapi import APIRouter, FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute

from arena.rpc.errors import LoginError
from arena.web.api.router import CALLS, DOCUMENTS
from arena.web.middleware.caching import ETagMiddleware, PageCacheMiddleware
from arena.web.middleware.errors import install_errors
from arena.web.middleware.rate_limits import RateLimitMiddleware, TokenBuckets
from arena.web.middleware.request_checks import AddressCheckMiddleware, BodyLimitMiddleware, HostCheckMiddleware
from arena.web.middleware.response_headers import HeadRequestMiddleware, SecurityHeadersMiddleware, ShutdownMiddleware
from arena.web.owners.admissions import MOST_FOLLOWERS
from arena.web.owners.authentication import NotSignedInError, answer_strangers
from arena.web.owners.sessions import SessionStore
from arena.web.people.tables import open_tables
from arena.web.routes import ROUTERS
from arena.web.shared.answer_cache import AnswerCache, VersionRecords
from arena.web.shared.rendering import STATIC, HashedStaticFiles
from arena.web.shared.site import Site
from arena.web.shared.streams import OpenStreams
from arena.web.viewer.spectators import Hub, watch_service
from arena.web.viewer.stories import ReplayChecks, StoryCache, story_renderer

_LEAST_ZIPPED_BYTES = 1000


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
    """Return what every application serves: to find out once what each call takes costs a quarter of a second."""
    found = APIRouter()
    found.include_router(CALLS)
    for router in (DOCUMENTS, *ROUTERS):
        found.include_router(router, include_in_schema=False)
    return found.routes


def _mark_of(site: Site) -> tuple[int, int] | None:
    """Return what is another value when a page may be; `None` if there is no telling."""
    mark = site.arena.overview.mark()
    return None if mark is None else (mark, 0 if site.official is None else site.official.turn)


@asynccontextmanager
async def _open_tables(app: FastAPI) -> AsyncIterator[None]:
    """Let people sit down for as long as pages are served."""
    async with open_tables(app.state.site) as game_tables:
        app.state.game_tables = game_tables
        yield
