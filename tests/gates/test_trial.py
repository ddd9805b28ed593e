from featuredel.gates.trial import reasons
from featuredel.model import TestId, TestResult


def test_reasons_are_what_every_run_would_say() -> None:
    said = {
        "a": "AttributeError: no attribute",
        "b": "http.client.RemoteDisconnected: Remote end closed connection",
        "c": "ConnectionResetError: [Errno 104]",
    }
    results = {TestId(test): TestResult("failed", 0.0, why) for test, why in said.items()}
    assert reasons(results, [*results, TestId("d")]) == {
        "AttributeError": 1,
        "failed": 2,
        "absent": 1,
    }
