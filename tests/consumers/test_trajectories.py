"""Harbor's own model of ATIF reads what `featuredel solve` records."""

from pathlib import Path

import pytest
from consumers.environments import consumer
from consumers.programs import run
from solve_scene import SolveScene
from toy_dataset import MUL

from bench.solvers import SUBMIT, Reply, bash, calling, completion

pytestmark = [pytest.mark.consumer, pytest.mark.sandbox]

CHECK = """
import json, sys
from harbor.models.trajectories.trajectory import Trajectory
told = Trajectory.model_validate(json.load(open(sys.argv[1])))
print(*(len(step.tool_calls or ()) for step in told.steps))
"""


def test_every_form_of_answer_is_read(tmp_path: Path) -> None:
    python = consumer("harbor", (3, 12))
    answers: list[Reply] = [
        completion({"content": "Nothing.", "reasoning_content": "Hm."}),
        completion({"content": "```bash\nls\n```"}),
        calling(bash("ls"), ("fly", "{")),
        calling(SUBMIT),
    ]
    scene = SolveScene(tmp_path)
    scene.solve(lambda request: answers.pop(0), MUL)
    done = run([python, "-c", CHECK, scene.file(scene.row())])
    assert done.stdout.split() == ["0", "0", "1", "2", "1"]
