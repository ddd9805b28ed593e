"""GRPO with TRL, whose reward comes from the tests of the tasks.

    featuredel export prompts data/smoke prompts.parquet
    python examples/trl_grpo.py prompts.parquet

The model is asked for a diff. Of prompts that were exported with `--shell` it gets a shell on the
task's tree, and what it leaves there is graded.

It is made on the spot and writes noise, which earns nothing. `--answers FILE`, predictions in
SWE-bench's form, puts an answer that is given in the place of one completion of its task, once a
step: that is how a demonstration gets into a run, and shows here what an answer earns.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import torch
from datasets import load_dataset
from tiny_model import model_of, tokenizer_of
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen2_5_chat_template

from featuredel.trainers import grader
from featuredel.workspaces import Workspace, grade_workspaces


def reward(**batch: Any) -> list[float | None]:
    """Grade a batch, and print what each completion earns."""
    earned = grade_workspaces(**batch) if "environments" in batch else grader(**batch)
    for info, one in zip(batch["extra_info"], earned, strict=True):
        print(json.dumps({"task_id": info["task_id"], "reward": one}))
    return earned


class Rollouts:
    """Completions of the model, but for the answers that are given, by the text of a prompt."""

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers

    def __call__(self, prompts: list[Any], trainer: GRPOTrainer) -> dict[str, Any]:
        """Return the tokens of each prompt and of what comes after it, as TRL asks for them."""
        tokenizer, given = trainer.processing_class, dict(self.answers)
        prompt_ids, completion_ids = [], []
        for prompt in prompts:
            asked = tokenizer.apply_chat_template(
                prompt, tools=trainer.tools or None, add_generation_prompt=True, return_dict=True,
                return_tensors="pt",
            )  # fmt: skip
            length = asked["input_ids"].shape[1]
            prompt_ids.append(asked["input_ids"][0].tolist())
            answer = given.pop(prompt[-1]["content"], None)
            if answer is not None:
                completion_ids.append([*tokenizer.encode(answer), tokenizer.eos_token_id])
                continue
            with torch.no_grad():
                written = trainer.accelerator.unwrap_model(trainer.model).generate(
                    **asked, do_sample=True, max_new_tokens=32
                )
            completion_ids.append(written[0, length:].tolist())
        return {"prompt_ids": prompt_ids, "completion_ids": completion_ids, "logprobs": None}


def main() -> None:
    """Train for one step on each prompt."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("prompts", help="what `featuredel export prompts` wrote")
    parser.add_argument("--answers", type=Path, help="answers to put among the completions")
    parser.add_argument("--out", default="grpo", help="where TRL keeps what it keeps")
    asked = parser.parse_args()

    rows = load_dataset("parquet", data_files=asked.prompts, split="train")
    shell = rows[0]["agent_name"] == "tool_agent"
    texts = [row["prompt"][-1]["content"] for row in rows]
    answers = _answers(asked.answers, rows, shell) if asked.answers else {}
    tokenizer = tokenizer_of([*texts, *answers.values()])
    tokenizer.chat_template = qwen2_5_chat_template  # one that knows of tools
    model = model_of(tokenizer)
    before = [weights.detach().clone() for weights in model.parameters()]
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=reward,
        train_dataset=rows,
        processing_class=tokenizer,
        rollout_func=Rollouts(answers) if answers else None,
        environment_factory=Workspace if shell else None,
        args=GRPOConfig(
            output_dir=asked.out, max_steps=len(rows), num_generations=2, shuffle_dataset=False,
            per_device_train_batch_size=2, max_completion_length=20_000 if answers else 32,
            learning_rate=1e-3, logging_steps=1, save_strategy="no", report_to="none",
            use_cpu=True, bf16=False, gradient_checkpointing=False,
        ),
    )  # fmt: skip
    trainer.train()
    moved = sum(
        (now.detach() - then).abs().sum().item()
        for now, then in zip(model.parameters(), before, strict=True)
    )
    print(json.dumps({"steps": trainer.state.global_step, "weights_moved_by": moved}))


def _answers(file: Path, rows: Any, shell: bool) -> dict[str, str]:
    """Return what a model would write to give the answers in a file, by the text of a prompt."""
    given = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    patches = {one["instance_id"]: one["model_patch"] for one in given}
    return {
        row["prompt"][-1]["content"]: (_call if shell else _block)(
            patches[row["extra_info"]["task_id"]]
        )
        for row in rows
        if row["extra_info"]["task_id"] in patches
    }


def _block(patch: str) -> str:
    return f"```diff\n{patch}```"


def _call(patch: str) -> str:
    command = f"git apply - <<'END OF DIFF'\n{patch}END OF DIFF\n"
    call = json.dumps({"name": "run", "arguments": {"command": command}})
    return f"<tool_call>\n{call}\n</tool_call>"


if __name__ == "__main__":
    main()
