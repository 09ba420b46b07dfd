"""The ledgers of a database."""

import pytest

from ratings.ledger.season_ledger import LadderLedger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.store.database import Database


@pytest.fixture
def ladders(database: Database) -> LadderLedger:
    return LadderLedger(database)


@pytest.fixture
def service(database: Database) -> ServiceLedger:
    return ServiceLedger(database)
