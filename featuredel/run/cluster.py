"""Workers: a cluster of dask's on this machine, or one that runs already."""

import contextlib
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import dask
from distributed import Client, Future, LocalCluster
from distributed.comm.addressing import get_address_host_port
from distributed.security import Security

from featuredel.errors import InfrastructureError, UsageError
from featuredel.scratch import scratch_directory

Job: TypeAlias = "Future[Any]"

AHEAD = 2
"""Jobs per worker that are handed out at once."""


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Put back in the end what Ctrl-C did before: after the first one, a run changes it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def connected(scheduler: str | None, workers: int) -> Iterator[Client]:
    """Yield a client of the scheduler at this address, or of as many local workers.

    Raises `InfrastructureError` if there are none to be had, `UsageError` for what is no address.
    """
    if scheduler is not None:
        _check_scheduler(scheduler)
        try:
            client = Client(scheduler, timeout="20s", set_as_default=False)
        except (OSError, ValueError) as error:
            raise InfrastructureError(f"no dask scheduler at {scheduler}: {error}") from error
        with client:
            yield client
        return
    with (
        scratch_directory(Path(tempfile.gettempdir())) as place,
        dask.config.set({"temporary-directory": str(place)}),
        _local_cluster(workers) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _local_cluster(workers: int) -> LocalCluster:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # inherited: Ctrl-C is the client's
    try:
        return LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, memory_limit=0,
            dashboard_address="127.0.0.1:0", silence_logs="CRITICAL",
        )  # fmt: skip
    except (OSError, RuntimeError) as error:
        raise InfrastructureError(f"no worker could be started: {error}") from error
    finally:
        signal.signal(signal.SIGINT, before)


def _check_scheduler(scheduler: str) -> None:
    """See that something listens there: a client that cannot connect is hard to get rid of."""
    try:
        host, port = get_address_host_port(scheduler, strict=True)
        if not 0 < port < 1 << 16:
            raise ValueError(f"there is no port {port}")
        if scheduler.startswith("tls:") and _no_certificates():
            raise ValueError("dask's configuration names no certificates for TLS")
    except ValueError as error:
        raise UsageError(
            f"--scheduler {scheduler}: {error}; give an address like tcp://host:8786"
        ) from error
    try:
        socket.create_connection((host, port), timeout=20).close()
    except OSError as error:
        raise InfrastructureError(f"no dask scheduler at {scheduler}: {error}") from error


def _no_certificates() -> bool:
    return Security().get_connection_args("client")["ssl_context"] is None
