"""OpenHands: a list of events, alone or under `history`; those of its SDK as well.

Source: its documentation of events ("action", "args" / "observation", "content", "cause"), and
of the SDK's (`kind` is ActionEvent or ObservationEvent).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from featuredel.monitor.readers.tools import calls_of, text_of
from featuredel.monitor.trajectory import Call, Cell, Look, Read, Shell, Step, Trajectory

_SILENT = frozenset(
    {"think", "finish", "message", "system", "recall", "null", "reject", "delegate"}
)


def knows(data: Any) -> bool:
    """Tell whether parsed JSON is in this format."""
    events = _events(data)
    return bool(events) and all(
        isinstance(event, dict) and any(key in event for key in ("action", "observation", "kind"))
        for event in events
    )


def read(data: Any, name: str) -> Trajectory:
    """Return the trajectory; an observation belongs to the event that it names as its cause.

    Tool calls of one response of the model are one step.
    """
    events = _events(data)
    caused = {
        key: event
        for event in events
        for key in (event.get("cause"), event.get("action_id"), event.get("tool_call_id"))
        if key is not None and _observes(event)
    }
    steps: list[Step] = []
    cwd, before = "", None
    for number, event in enumerate(events):
        if event.get("source") == "user" or not _acts(event):
            continue
        after = events[number + 1] if number + 1 < len(events) else {}
        keys = (event.get("id"), event.get("tool_call_id"))
        found = next((caused[key] for key in keys if key in caused), None)
        answer = found or (after if _observes(after) else {})
        metadata = (answer.get("extras") or {}).get("metadata") or {}
        cwd = cwd or str(metadata.get("working_dir") or "")
        response = _response(event)
        if response is not None and response == before:
            steps[-1] = _joined(steps[-1], _step(len(steps) - 1, event, answer))
        else:
            steps.append(_step(len(steps), event, answer))
        before = response
    wrapped: Mapping[str, Any] = data if isinstance(data, dict) else {}
    tested = wrapped.get("test_result") or {}
    report = wrapped.get("report") or tested.get("report") or {}
    resolved = report.get("resolved") if isinstance(report, dict) else None
    return Trajectory(
        name=name,
        format="openhands",
        steps=tuple(steps),
        cwd=cwd,
        submission=tested.get("git_patch") or wrapped.get("git_patch") or None,
        resolved=resolved if isinstance(resolved, bool) else None,
    )


def _events(data: Any) -> list[Any]:
    if isinstance(data, dict):
        data = data.get("history") or data.get("trajectory") or data.get("events")
    events: list[Any] = data if isinstance(data, list) else []
    if events and all(isinstance(pair, list) for pair in events):  # old files pair them
        events = [event for pair in events for event in pair]
    return events


def _acts(event: Mapping[str, Any]) -> bool:
    return "action" in event and event.get("kind", "ActionEvent") == "ActionEvent"


def _observes(event: Mapping[str, Any]) -> bool:
    return "observation" in event or str(event.get("kind", "")).endswith("ObservationEvent")


def _response(event: Mapping[str, Any]) -> object:
    """Return what names the model's response that an action is from; None if nothing does."""
    metadata = event.get("tool_call_metadata")
    of_model = metadata.get("model_response") if isinstance(metadata, dict) else None
    name = of_model.get("id") if isinstance(of_model, dict) else None
    return event.get("llm_response_id") or name


def _joined(step: Step, more: Step) -> Step:
    """Return a step with a further tool call of the same response."""
    texts = (step.observation, more.observation)
    return replace(
        step,
        reasoning=step.reasoning or more.reasoning,
        message=step.message or more.message,
        calls=(*step.calls, *more.calls),
        observation="\n".join(text for text in texts if text),
    )


def _step(index: int, event: Any, answer: Any) -> Step:
    args = event.get("args") or {}
    observed = answer.get("observation")
    content = observed.get("content") if isinstance(observed, dict) else answer.get("content")
    return Step(
        index=index,
        id=str(event.get("id", index)),
        reasoning=str(args.get("thought") or event.get("reasoning_content") or ""),
        message=text_of(event.get("thought") or event.get("message")),
        calls=tuple(_calls(event, args)),
        observation=text_of(content),
    )


def _calls(event: Any, args: Mapping[str, Any]) -> Iterator[Call]:
    kind = event["action"]
    if isinstance(kind, dict):  # the SDK's: a record of its own a tool
        tool = str(event.get("tool_name") or kind.get("kind") or "")
        data = kind.get("data")  # of a tool of an MCP server
        given = data if isinstance(data, Mapping) else kind
        yield from calls_of(tool, {key: value for key, value in given.items() if key != "kind"})
    elif kind == "run":
        yield Shell(str(args.get("command") or ""))
    elif kind == "run_ipython":
        yield Cell(str(args.get("code") or ""))
    elif kind == "read":
        yield Read(str(args.get("path") or ""))
    elif kind in ("browse", "browse_interactive"):
        yield Look(str(args.get("url") or args.get("browser_actions") or ""))
    elif kind not in _SILENT:
        yield from calls_of("write" if kind == "write" else str(args.get("name") or kind), args)
        if isinstance(args.get("arguments"), Mapping):  # a tool of an MCP server
            yield from calls_of(str(args.get("name") or kind), args["arguments"])
