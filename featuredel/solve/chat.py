"""The one home of openai: asking a server for the next message of a chat."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from featuredel.errors import InfrastructureError, UsageError

Message = Mapping[str, Any]
"""As chat completions have it: `role`, `content`, and what belongs to calls of tools."""

FULL = re.compile(
    r"context.{0,20}(length|size|window)|too (long|large|many tokens)|token.*(exceed|must be <=)",
    re.IGNORECASE | re.DOTALL,
)
"""How servers say that a chat has become longer than the model can read."""

_REASON_CHARS = 2000
"""So much of a refusal is looked at: the pattern takes the square of it where a server rambles."""

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
    timeout_s: float = 600.0  # of an answer


@dataclass(frozen=True, slots=True)
class Answer:
    """The message that a server answered with, and the tokens by its account (0: it gives none)."""

    message: Message
    prompt_tokens: int
    completion_tokens: int


class Chat:
    """A server that is asked. For any number of threads."""

    def __init__(self, server: Server) -> None:
        """Raise `UsageError` without the client, or for an endpoint that is no URL."""
        try:
            import openai  # takes a second, and is an extra
        except ImportError as error:
            raise UsageError("solve needs a client: pip install 'featuredel[solve]'") from error
        if not _is_url(server.endpoint):
            told = server.endpoint[:100]
            raise UsageError(f"--endpoint {told}: give a URL, as in http://host:8000/v1")
        self._server = server
        self._tools = server.tools
        self._client = openai.OpenAI(
            base_url=server.endpoint, api_key=server.key or "none", max_retries=server.retries,
            timeout=server.timeout_s,
        )  # fmt: skip

    def ask(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Answer:
        """Return the next message of the chat.

        Raises `ContextFullError`; `UsageError` for what will fail each time; and
        `InfrastructureError` if there is no answer in spite of retries.
        """
        from openai import APIStatusError, OpenAIError

        create: Any = self._client.chat.completions.with_raw_response.create
        offered = {"tools": tools} if self._tools else {}
        try:
            raw = create(
                model=self._server.model, messages=messages, **offered,
                extra_body=dict(self._server.settings),
            )  # fmt: skip
        except APIStatusError as error:
            refusal = self._refusal(error.status_code, error.message)
            may_be_tools = error.status_code < 500 and "tool" in error.message.lower()
            if not (self._tools and may_be_tools) or isinstance(refusal, ContextFullError):
                raise refusal from None
            self._tools = False
            return self.ask(messages, tools)
        except OpenAIError as error:  # by its cause, which names what a request could not do
            told = f"{error} {error.__cause__ or ''}".strip()
            raise InfrastructureError(self._about(told)) from None
        return self._answer(raw.text)

    def _refusal(self, status: int, message: str) -> Exception:
        said = message.removeprefix(f"Error code: {status} - ")
        told = self._about(f"HTTP {status}: {said}")
        if status in (400, 413, 422) and FULL.search(message[:_REASON_CHARS]):
            return ContextFullError(told)
        if status in (401, 404):
            return UsageError(f"{told}; see to --endpoint, --model and --api-key-env")
        return InfrastructureError(told)

    def _answer(self, text: str) -> Answer:
        try:
            told = json.loads(self._without_key(text))
            # half a character of UTF-16 is no text, and could not be sent back
            told = json.loads(json.dumps(told, ensure_ascii=False).encode(errors="replace"))
            usage = told.get("usage") or {}
            message = told["choices"][0]["message"]
            for call in message.get("tool_calls") or ():
                call["function"]["name"].lower()
            tokens = (_count(usage.get(f"{one}_tokens")) for one in ("prompt", "completion"))
            return Answer(message, *tokens)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise InfrastructureError(
                self._about(f"is no chat completion: {text[:200]}")
            ) from error

    def _about(self, told: str) -> str:
        return self._without_key(f"{self._server.endpoint}: {' '.join(told.split())[:500]}")

    def _without_key(self, text: str) -> str:
        return text.replace(self._server.key, "[key]") if self._server.key else text


def _count(tokens: Any) -> int:
    """Return a count that is given, 0 for none. Raises `ValueError` for what no table can hold."""
    if not tokens:
        return 0
    if not isinstance(tokens, int | float) or not 0 <= tokens <= _MOST_TOKENS:
        raise ValueError(tokens)
    return int(tokens)


def _is_url(endpoint: str) -> bool:
    try:
        urlsplit(endpoint).port  # noqa: B018 -- raises for one that is no number
    except ValueError:
        return False
    good = re.fullmatch(r"https?://[^/\s]\S{0,2000}", endpoint)
    return good is not None and endpoint.isprintable()
