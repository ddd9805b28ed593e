"""The one home of httpx2: answers that are whole, in time, and no larger than they may be."""

import asyncio
from typing import Any

import httpx2


class BoundedClient(httpx2.AsyncClient):
    """A client that reads answers to their end at once, as they come: it unpacks none.

    An answer has `timeout_s` from the asking to its last byte.
    """

    def __init__(self, timeout_s: float, most_bytes: int) -> None:
        super().__init__(headers={"Accept-Encoding": "identity"})
        self._timeout_s = timeout_s
        self._most_bytes = most_bytes

    async def send(self, request: httpx2.Request, **how: Any) -> httpx2.Response:
        """Return the answer to a request, which may be a redirect.

        Raises `httpx2.RequestError` if there is none, or it is too late or too large.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                answer = await super().send(request, **{**how, "stream": True})
                try:
                    content = await self._read(answer)
                finally:
                    await answer.aclose()
        except TimeoutError:
            told = f"there is no whole answer after {self._timeout_s:g} seconds"
            raise httpx2.ReadTimeout(told, request=request) from None
        headers = answer.headers.copy()
        headers.pop("content-encoding", None)
        return httpx2.Response(
            answer.status_code, headers=headers, content=content, request=request
        )

    async def _read(self, answer: httpx2.Response) -> bytes:
        content = bytearray()
        async for chunk in answer.aiter_raw():
            content += chunk
            if len(content) > self._most_bytes:
                told = f"the answer is larger than {self._most_bytes} bytes"
                raise httpx2.ReadError(told, request=answer.request)
        return bytes(content)
