"""ATIF, the agent trajectory interchange format of Harbor, versions 1.0 to 1.8.

Source: Harbor's RFC 0001 and its models in `harbor.models.trajectories`.
"""

from collections.abc import Iterator
from typing import Any

from featuredel.monitor.readers.tools import calls_of, text_of
from featuredel.monitor.trajectory import Call, Step, Trajectory


def knows(data: Any) -> bool:
    """Tell whether parsed JSON is in this format."""
    return (
        isinstance(data, dict)
        and str(data.get("schema_version", "")).startswith("ATIF")
        and isinstance(data.get("steps"), list)
    )


def read(data: Any, name: str) -> Trajectory:
    """Return the trajectory; steps of embedded ones follow those of their parent."""
    raw = list(_agent_steps(data))
    steps = tuple(
        Step(
            index=index,
            id=str(step.get("step_id", index)),
            reasoning=str(step.get("reasoning_content") or ""),
            message=text_of(step.get("message")),
            calls=tuple(_calls(step)),
            observation=_observed(step),
        )
        for index, step in enumerate(raw)
    )
    extra = data.get("extra") or {}
    submission = extra.get("submission") or extra.get("model_patch")
    resolved = extra.get("resolved")
    return Trajectory(
        name=name,
        format="atif",
        steps=steps,
        cwd=str(extra.get("cwd") or ""),
        submission=submission if isinstance(submission, str) else None,
        resolved=resolved if isinstance(resolved, bool) else None,
    )


def _agent_steps(data: Any) -> Iterator[Any]:
    for step in data["steps"]:
        if step.get("source") == "agent" and not step.get("is_copied_context"):
            yield step
    for inner in data.get("subagent_trajectories") or ():
        yield from _agent_steps(inner)


def _calls(step: Any) -> Iterator[Call]:
    for call in step.get("tool_calls") or ():
        yield from calls_of(str(call.get("function_name", "")), call.get("arguments"))


def _observed(step: Any) -> str:
    results = (step.get("observation") or {}).get("results") or ()
    return "\n".join(text_of(result.get("content")) for result in results)
