"""The one home of openai: asking a server for the next message of a chat."""

import asyncio
import importlib.util
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from featuredel.errors import InfrastructureError, UsageError
from featuredel.monitor.readers.tools import text_of

Message = Mapping[str, Any]
"""As chat completions have it: `role`, `content`, and what belongs to calls of tools."""

FULL = re.compile(
    r"context.{0,20}(length|size|window)|too (long|large|many tokens)|token.*(exceed|must be <=)",
    re.IGNORECASE | re.DOTALL,
)
"""How servers say that a chat has become longer than the model can read."""

_REASON_CHARS = 2000
"""So much of a refusal is looked at: the pattern takes the square of it where a server rambles."""

COUNTED = ("prompt_tokens", "completion_tokens")
_MOST_TOKENS = (1 << 31) - 1


class ContextFullError(Exception):
    """The chat is longer than the model can read."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where to ask, and with what."""

    endpoint: str  # up to and without /chat/completions
    model: str
    key: str = field(default="", repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict)  # more of each request
    tools: bool = True  # offer tools, unless the server refuses them
    retries: int = 6  # after 408, 409, 429, 5xx and broken connections, with growing pauses
    timeout_s: float = 600.0  # from a request to the last byte of its answer
    answer_bytes: int = 16 << 20  # of an answer, at most


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool."""

    id: str
    name: str
    arguments: Mapping[str, Any]  # texts and whole numbers; what else was given is left out


@dataclass(frozen=True, slots=True)
class Answer:
    """The message that a server answered with."""

    text: str
    reasoning: str
    calls: Sequence[Call]
    tokens: Mapping[str, int]  # by COUNTED, by the server's account; 0 where it gives none


class Chat:
    """A server that is asked. For any number of threads."""

    def __init__(self, server: Server) -> None:
        """Raise `UsageError` without the client, or for an endpoint that is no URL."""
        if importlib.util.find_spec("openai") is None:
            raise UsageError("solve needs a client: pip install 'featuredel[solve]'")
        if not _is_url(server.endpoint):
            told = server.endpoint[:100]
            raise UsageError(f"--endpoint {told}: give a URL, as in http://host:8000/v1")
        self._server = server
        self._tools = server.tools

    def ask(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Answer:
        """Return the next message of the chat.

        Raises `ContextFullError`; `UsageError` for what will fail each time; and
        `InfrastructureError` if there is no answer in spite of retries.
        """
        text = asyncio.run(self._ask(messages, tools))
        try:
            return _answer(self._without_key(text))
        except (
            ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError
        ) as error:  # fmt: skip
            told = self._about(f"is no chat completion: {text[:200]}")
            raise InfrastructureError(told) from error

    async def _ask(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> str:
        from openai import APIStatusError, AsyncOpenAI, OpenAIError  # takes a second

        from featuredel.solve.wire import BoundedClient

        server = self._server
        offered = {"tools": tools} if self._tools else {}
        try:
            async with AsyncOpenAI(
                base_url=server.endpoint, api_key=server.key or "none", max_retries=server.retries,
                timeout=server.timeout_s,
                http_client=BoundedClient(server.timeout_s, server.answer_bytes),
            ) as client:  # fmt: skip
                create: Any = client.chat.completions.with_raw_response.create
                raw = await create(
                    model=server.model, messages=messages, **offered,
                    extra_body=dict(server.settings),
                )  # fmt: skip
            return str(raw.text)
        except APIStatusError as error:
            refusal = self._refusal(error.status_code, error.message)
            may_be_tools = error.status_code < 500 and "tool" in error.message.lower()
            if not (self._tools and may_be_tools) or isinstance(refusal, ContextFullError):
                raise refusal from None
        except OpenAIError as error:  # by its cause, which names what a request could not do
            told = f"{error} {error.__cause__ or ''}".strip()
            raise InfrastructureError(self._about(told)) from None
        self._tools = False
        return await self._ask(messages, tools)

    def _refusal(self, status: int, message: str) -> Exception:
        said = message.removeprefix(f"Error code: {status} - ")
        told = self._about(f"HTTP {status}: {said}")
        if status in (400, 413, 422) and FULL.search(message[:_REASON_CHARS]):
            return ContextFullError(told)
        if status < 400 or status in (401, 404):
            return UsageError(f"{told}; see to --endpoint, --model and --api-key-env")
        return InfrastructureError(told)

    def _about(self, told: str) -> str:
        return self._without_key(f"{self._server.endpoint}: {' '.join(told.split())[:500]}")

    def _without_key(self, text: str) -> str:
        return text.replace(self._server.key, "[key]") if self._server.key else text


def _answer(text: str) -> Answer:
    # half a character of UTF-16 is no text, and could not be sent back
    sound = json.dumps(json.loads(text), ensure_ascii=False).encode(errors="replace")
    told = json.loads(sound)
    message, usage = told["choices"][0]["message"], told.get("usage") or {}
    calls = [_call(*each) for each in enumerate(message.get("tool_calls") or ())]
    reasoning = text_of(message.get("reasoning_content") or message.get("reasoning"))
    tokens = {name: _count(usage.get(name)) for name in COUNTED}
    return Answer(text_of(message.get("content")), reasoning, calls, tokens)


def _call(number: int, tool: Mapping[str, Any]) -> Call:
    name, told = tool["function"]["name"].strip(), tool["function"].get("arguments") or "{}"
    try:  # some servers send what they have read already
        given = {**(told if isinstance(told, Mapping) else json.loads(told))}
    except (ValueError, TypeError, RecursionError):
        given = {"unreadable": told}
    plain = {key: value for key, value in given.items() if isinstance(value, str | int)}
    return Call(str(tool.get("id") or f"call-{number}"), name, plain)


def _count(tokens: Any) -> int:
    count = int(tokens or 0)
    if not 0 <= count <= _MOST_TOKENS:
        raise ValueError(tokens)  # no table can hold it
    return count


def _is_url(endpoint: str) -> bool:
    try:
        urlsplit(endpoint).port  # noqa: B018 -- raises for one that is no number
    except ValueError:
        return False
    good = re.fullmatch(r"https?://[^/\s]\S{0,2000}", endpoint)
    return good is not None and endpoint.isprintable()
