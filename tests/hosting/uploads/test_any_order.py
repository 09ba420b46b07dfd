import hashlib
import random
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from arena.hosting.uploads.area import UploadArea, UploadLimits, upload_id
from arena.hosting.uploads.errors import UploadMissingError, UploadOffsetError

ARCHIVE = random.Random(7).randbytes(701)


class Uploading(RuleBasedStateMachine):
    """Two owners upload two archives in any order of steps; what is stored is always a beginning of the archive."""

    archives = (ARCHIVE[:700], ARCHIVE)

    def __init__(self) -> None:
        super().__init__()
        self.turns: dict[tuple[str, int], int] = {}
        self.stored: dict[tuple[str, int], int] = {}
        self.place = tempfile.TemporaryDirectory()
        self.area = UploadArea(Path(self.place.name), UploadLimits(free_bytes=0))

    def teardown(self) -> None:
        self.place.cleanup()

    keys = st.tuples(st.sampled_from(["ann", "bob"]), st.integers(0, 1))

    def id_of(self, key: tuple[str, int]) -> str:
        return upload_id(key[0], hashlib.sha256(self.archives[key[1]]).hexdigest())

    @rule(key=keys)
    def begin(self, key: tuple[str, int]) -> None:
        archive = self.archives[key[1]]
        upload = self.area.begin(key[0], hashlib.sha256(archive).hexdigest(), len(archive))
        assert upload.offset == self.stored.setdefault(key, 0)
        self.turns[key] = upload.turn

    @rule(key=keys, size_bytes=st.integers(0, 800), shift=st.sampled_from([0, 0, 0, 0, 1, -1]))
    def append(self, key: tuple[str, int], size_bytes: int, shift: int) -> None:
        offset, archive = self.stored.get(key, 0) + shift, self.archives[key[1]]
        try:
            after = self.area.append(
                self.id_of(key), offset, archive[max(offset, 0) :][:size_bytes], self.turns.get(key, 0)
            )
        except UploadMissingError:
            assert key not in self.stored
        except UploadOffsetError as error:
            assert shift != 0
            assert error.offset == self.stored[key]  # noqa: PT017 - what else is right depends on the steps before
        else:
            assert shift == 0
            self.stored[key] = after

    @rule(key=keys)
    def finish(self, key: tuple[str, int]) -> None:
        try:
            path = self.area.finish(self.id_of(key))
        except (UploadMissingError, UploadOffsetError):
            assert self.stored.get(key) != len(self.archives[key[1]])
        else:
            assert path.read_bytes() == self.archives[key[1]]

    @rule(key=keys)
    def discard(self, key: tuple[str, int]) -> None:
        self.area.discard(self.id_of(key))
        self.stored.pop(key, None)

    @invariant()
    def what_is_stored_is_known(self) -> None:
        found = {upload.id: upload.offset for upload in self.area.uploads()}
        assert found == {self.id_of(key): offset for key, offset in self.stored.items()}


TestUploading = Uploading.TestCase
TestUploading.settings = settings(max_examples=12, stateful_step_count=20)
