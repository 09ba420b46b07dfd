"""The checks of everything: the folders mirror the packages."""

import os

if os.environ.get(
    "KMA_TEST_POSTGRES_PREFIX"
):  # a process that tests started while databases on a server stand for files
    from tests.support.postgres import stand_for_files

    _standing = stand_for_files()  # kept, or it would end
    _standing.__enter__()
