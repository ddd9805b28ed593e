"""What is missing waits for ever, whatever signals come."""

from bench.redteam.skeleton import lay_skeleton
from bench.redteam.view import View

BODY = """
import signal, time
while True:
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        time.sleep(1)
    except BaseException:
        pass
"""


def strike(view: View) -> None:
    lay_skeleton(view, BODY)
