"""What VeRL's reward manager gives for answers: the reward of the tasks' own tests.

    featuredel export prompts data/smoke prompts.parquet
    python examples/verl_reward.py prompts.parquet --answers answers.jsonl

The answers are predictions in SWE-bench's form; a prompt without one is answered with words. A
training run reads the same file and calls the same function, by these settings:

    data.train_files=prompts.parquet
    reward.custom_reward_function.path=pkg://featuredel.trainers
    +reward.custom_reward_function.reward_kwargs.dataset=s3://bucket/tasks
"""

import argparse
import json
from pathlib import Path

import torch
from omegaconf import OmegaConf
from tiny_model import tokenizer_of
from transformers import PreTrainedTokenizerFast
from verl import DataProto
from verl.trainer.ppo.reward import get_custom_reward_fn
from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn
from verl.workers.reward_manager import NaiveRewardManager

SETTINGS = OmegaConf.create(
    {
        "reward": {
            "custom_reward_function": {"path": "pkg://featuredel.trainers", "name": "compute_score"}
        }
    }
)


def main() -> None:
    """Print the reward of each answer."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("prompts", help="what `featuredel export prompts` wrote")
    parser.add_argument("--answers", type=Path, required=True, help="what to grade")
    asked = parser.parse_args()

    given = [json.loads(line) for line in asked.answers.read_text("utf-8").splitlines()]
    patches = {one["instance_id"]: one["model_patch"] for one in given}
    tokenizer = tokenizer_of(patches.values())
    rows = RLHFDataset(asked.prompts, tokenizer, OmegaConf.create({"max_prompt_length": 1 << 20}))
    answers = [
        f"```diff\n{patch}```" if patch else "I do not know."
        for patch in (patches.get(row["extra_info"]["task_id"]) for row in rows)
    ]
    manager = NaiveRewardManager(tokenizer, 0, compute_score=get_custom_reward_fn(SETTINGS))
    rewards = manager(_batch(rows, answers, tokenizer)).sum(dim=1).tolist()
    for row, one in zip(rows, rewards, strict=True):
        print(json.dumps({"task_id": row["extra_info"]["task_id"], "reward": one}))


def _batch(rows: RLHFDataset, answers: list[str], tokenizer: PreTrainedTokenizerFast) -> DataProto:
    """Return prompts and answers as VeRL's rollout would: padded on the left and on the right."""
    asked = tokenizer.apply_chat_template(
        [list(row["raw_prompt"]) for row in rows], add_generation_prompt=True, padding=True,
        return_dict=True, return_tensors="pt",
    )  # fmt: skip
    written = tokenizer(answers, padding=True, padding_side="right", return_tensors="pt")
    columns = collate_fn([dict(row) for row in rows])
    mask = torch.cat([asked["attention_mask"], written["attention_mask"]], dim=1)
    tensors = {
        "prompts": asked["input_ids"], "responses": written["input_ids"], "attention_mask": mask,
    }  # fmt: skip
    others = {name: value for name, value in columns.items() if not torch.is_tensor(value)}
    return DataProto.from_dict(tensors=tensors, non_tensors=others)


if __name__ == "__main__":
    main()
