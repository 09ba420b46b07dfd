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
from arena.web.frame.answers import Answers
from arena.web.frame.files import STATIC, KeptFiles
from arena.web.frame.kept_pages import KeptPages
from arena.web.frame.records import Records
from arena.web.frame.site import Site
from arena.web.frame.streams import Followers
from arena.web.guarding.bodies import BoundedBodies
from arena.web.guarding.errors import install_errors
from arena.web.guarding.headers import SafeHeaders
from arena.web.guarding.heads import HeadsAsGets
from arena.web.guarding.hosts import KnownHosts
from arena.web.guarding.limits import Buckets, LimitedRequests
from arena.web.guarding.stopping import EndsWithServer
from arena.web.guarding.tags import TaggedAnswers
from arena.web.guarding.wellformed import WellFormed
from arena.web.helping.teller import teller_of
from arena.web.live.hub import Hub, watch_service
from arena.web.owners.admissions import MOST_FOLLOWERS
from arena.web.owners.entering import NotSignedInError, answer_strangers
from arena.web.owners.sessions import Sessions
from arena.web.people.opening import open_tables
from arena.web.routes import ROUTERS
from arena.web.viewing.tellings import Tellings
from arena.web.viewing.verdicts import Verdicts

_LEAST_ZIPPED_BYTES = 1000


def make_app(site: Site) -> FastAPI:
    """Return the application that shows a site."""
    app = FastAPI(title="Kingmaker Arena", docs_url=None, redoc_url=None, openapi_url=None, lifespan=_open_tables)
    app.state.site = site
    app.state.hub = None if site.service is None else Hub(watch_service(site.service))
    app.state.sessions = Sessions()
    app.state.followers = Followers(MOST_FOLLOWERS)
    app.state.on_stop = [app.state.followers.close, *([] if app.state.hub is None else [app.state.hub.close])]
    app.state.tellings, app.state.verdicts = Tellings(teller_of(site.helper)), Verdicts()
    app.state.answers, app.state.records = Answers(site.helper, site.counter), Records()
    app.router.routes.extend(_routes())
    app.mount("/static", KeptFiles(STATIC), name="static")
    install_errors(app)
    for stranger in (NotSignedInError, LoginError):
        app.add_exception_handler(stranger, answer_strangers)
    app.add_middleware(KeptPages, mark=partial(_mark_of, site))
    buckets = Buckets(site.requests_per_second, site.requests_at_once)
    app.add_middleware(LimitedRequests, buckets=buckets)
    app.add_middleware(BoundedBodies)
    app.add_middleware(WellFormed)
    app.add_middleware(TaggedAnswers)
    app.add_middleware(KnownHosts, names=site.names)
    app.add_middleware(GZipMiddleware, minimum_size=_LEAST_ZIPPED_BYTES, compresslevel=5)
    app.add_middleware(HeadsAsGets)
    app.add_middleware(SafeHeaders, is_secure=site.is_secure)
    app.add_middleware(EndsWithServer)
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
    async with open_tables(app.state.site) as hall:
        app.state.hall = hall
        yield
