from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(scope="module", autouse=True)
def plain_tracebacks() -> Iterator[None]:
    """Where a test writes no log file, a crash is printed without every local value, which takes half a second."""
    renderer = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[structlog.stdlib.add_log_level, renderer])
    yield
    structlog.reset_defaults()
