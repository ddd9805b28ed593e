"""The loop of locking, building and collecting, against a builder that only pretends."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from featuredel.errors import Rejected
from featuredel.languages.python.build import Builder
from featuredel.languages.python.built import Built, Lock, Unresolvable
from featuredel.languages.python.collection import Collected
from featuredel.languages.python.interpreters import Interpreter
from featuredel.languages.python.metadata import Metadata
from featuredel.languages.python.provision import Attempt, Plan, best_attempt
from featuredel.languages.python.requirements import Wanted
from featuredel.languages.python.suite import Tests

NEW = Interpreter("3.13.0", Path("/new/bin/python"), Path("/new"))
OLD = Interpreter("3.11.0", Path("/old/bin/python"), Path("/old"))


@dataclass
class Pretender:
    """Knows which distributions exist, which depend on the project, what imports are needed."""

    index: set[str]
    imported: tuple[str, ...] = ()
    on_project: frozenset[str] = frozenset()
    only_old: frozenset[str] = frozenset()
    locks: list[tuple[str, ...]] = field(default_factory=list)

    def project(self, interpreter: Interpreter) -> Built:
        return Built("project", "1", Path("/built"), ("click",), {}, "built", "tree 0")

    def resolve(self, requirements: Iterable[str], interpreter: Interpreter) -> Lock:
        wanted = tuple(dict.fromkeys(requirements))
        for name in wanted:
            if name not in self.index:
                raise Unresolvable(f"no {name}", (name,))
            if name in self.only_old and interpreter == NEW:
                raise Unresolvable(f"{name} is too old")
        self.locks.append(wanted)
        return Lock(wanted, (), bool(self.on_project & set(wanted)))

    def prefix(self, lock: Lock, project: Built, interpreter: Interpreter) -> Path:
        return Path("/prefix")

    def collect(
        self, prefix: Path, project: Built, interpreter: Interpreter, roots: tuple[str, ...]
    ) -> Collected:
        missing = tuple(name for name in self.imported if name not in self.locks[-1])
        return Collected(0 if missing else 5, missing, missing[:1], "the end")


def attempt(
    builder: Pretender,
    required: tuple[str, ...] = (),
    optional: tuple[str, ...] = (),
    guesses: tuple[str, ...] = (),
    *,
    fixed: bool = False,
) -> Attempt:
    metadata = Metadata("project", "", (), (), {}, buildable=True)
    tests = Tests(("tests",), ("tests/test_a.py",), {})
    plan = Plan(metadata, tests, Wanted(required, optional, ("tox",)), guesses, fixed)
    builder.index |= {"pytest", "coverage", "click"}
    return best_attempt(cast(Builder, builder), plan, (NEW, OLD))


def test_the_runner_and_the_projects_own_needs_are_always_in() -> None:
    found = attempt(Pretender({"mock"}), required=("mock",))
    assert found.lock.wheels == ("mock", "click", "pytest")
    assert found.interpreter == NEW
    assert found.origins == ("tox",)


def test_what_cannot_be_had_is_left_out_if_it_is_optional() -> None:
    found = attempt(Pretender({"mock", "rich"}), optional=("rich", "gone"), guesses=("mock", "no"))
    assert found.lock.wheels == ("click", "pytest", "rich", "mock")
    assert found.origins == ("tox", "extras", "import mock")


def test_what_collection_lacks_is_added_one_round_after_the_other() -> None:
    found = attempt(Pretender({"a", "b"}, imported=("a", "b")))
    assert found.lock.wheels == ("click", "pytest", "a", "b")
    assert found.collected.sound
    assert found.origins == ("tox", "failing import a", "failing import b")


def test_what_the_user_fixed_is_not_added_to() -> None:
    with pytest.raises(Rejected, match="no tests can be collected: the end"):
        attempt(Pretender({"a"}, imported=("a",)), fixed=True)


def test_what_depends_on_the_project_is_no_guess() -> None:
    builder = Pretender({"mock", "fork"}, on_project=frozenset({"fork"}))
    assert "fork" not in attempt(builder, guesses=("fork", "mock")).lock.wheels


def test_the_next_interpreter_is_tried_and_needs_its_tracer() -> None:
    found = attempt(Pretender({"aged"}, only_old=frozenset({"aged"})), required=("aged",))
    assert found.interpreter == OLD
    assert "coverage" in found.lock.wheels


def test_pins_are_relaxed_when_nothing_fulfils_them() -> None:
    found = attempt(Pretender({"mock"}), required=("mock==0.1",))
    assert "mock" in found.lock.wheels


def test_a_required_distribution_that_is_not_there_rejects() -> None:
    with pytest.raises(Rejected, match="environment cannot be built") as caught:
        attempt(Pretender(set()), required=("gone",))
    assert "no gone" in caught.value.detail
