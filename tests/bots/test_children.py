"""A bot may start children: nothing of gRPC is stopped and started anew meanwhile, on either road."""

import os
import subprocess
import sys

import pytest

from tests.support.patience import PATIENCE_S

_PROGRAM = """
import os
from arena.wire.completion_queue import prepare
prepare()
import bots.{road}
import grpc

def threads():
    return set(os.listdir("/proc/self/task"))

channel = grpc.insecure_channel("unix:/nowhere/at/all")
before = threads()
child = os.fork()
if not child:
    os._exit(0)
os.waitpid(child, 0)
assert len(before) > 1
assert before <= threads(), "its threads were ended and begun again"
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads are looked up in /proc")
@pytest.mark.parametrize("road", ["stream", "queue_stream"])
def test_the_threads_of_grpc_outlive_the_start_of_a_child(road: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")}
    subprocess.run([sys.executable, "-c", _PROGRAM.format(road=road)], env=environment, timeout=PATIENCE_S, check=True)
