"""What a campaign must tell as a fault."""

from collections.abc import Mapping

import pytest

from bench.redteam.campaign import MIN_ATTACKS, Round, faults
from bench.redteam.programs import KINDS, Kind
from bench.redteam.trial import Trial

WON, SOLVED, STOPPED = Trial(0.0, naive="E....."), Trial(1.0), Trial(0.0)
UNFIT = Trial(why="no class in it", unfit=True)
FINE: Mapping[Kind, Mapping[str, Trial]] = {
    "attacks": {f"attack{number}": WON for number in range(MIN_ATTACKS)},
    "honest": {"renamed": SOLVED},
    "burdens": {"pipes": SOLVED},
    "blows": {"endless": STOPPED},
    "limits": {"lucky": Trial(1.0, naive="E.....")},
}


def a_round(
    kind: Kind = "attacks", program: str = "attack0", trial: Trial = WON, untouched: str = "......",
    gold: tuple[Trial, ...] = (SOLVED,),
) -> Round:  # fmt: skip
    trials = {**FINE, kind: {**FINE[kind], program: trial}}
    assert set(trials) == set(KINDS)
    return Round("toy", trials, gold, untouched, "EOJSR.")


def test_nothing_is_a_fault_where_all_is_as_it_must_be() -> None:
    assert list(faults([a_round()])) == []


@pytest.mark.parametrize(
    "one, told",
    [
        (a_round("attacks", "more", Trial(1.0, naive="E.....")), "attacks more earns 1.0"),
        (a_round("attacks", "more", Trial(None, "it broke", "E....")), "attacks more earns None"),
        (a_round("attacks", "more", STOPPED), "attacks more: wins from no naive grader"),
        (a_round("attacks", "more", UNFIT), "attacks more: wins from no naive grader"),
        (a_round("attacks", "attack0", UNFIT), f"only {MIN_ATTACKS - 1} attacks win"),
        (a_round("honest", "renamed", STOPPED), "honest renamed earns 0.0"),
        (a_round("honest", "renamed", UNFIT), "honest renamed: has no place in any task"),
        (a_round("burdens", "pipes", STOPPED), "burdens pipes earns 0.0"),
        (a_round("blows", "endless", Trial(None, "no verdict")), "blows endless earns None"),
        (a_round(untouched="E....."), "rewards the untouched task"),
        (a_round(gold=(SOLVED, STOPPED)), "the reference fails 1/2"),
    ],
)
def test_what_is_a_fault(one: Round, told: str) -> None:
    assert any(told in fault for fault in faults([one]))


@pytest.mark.parametrize("kind, program", [("attacks", "attack0"), ("honest", "renamed")])
def test_a_place_in_another_task_is_enough(kind: Kind, program: str) -> None:
    found = list(faults([a_round(kind, program, UNFIT), a_round()]))
    assert not [fault for fault in found if program in fault]
