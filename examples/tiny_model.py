"""A model and a tokenizer made on the spot, so that an example needs no download and no GPU.

It has two layers and has learned nothing: what it writes is noise.
"""

from collections.abc import Iterable

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokenizer_of(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """Return a byte-level tokenizer trained on some texts; it gives any text back as it was."""
    tokens = Tokenizer(models.BPE())
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    special = ["<|pad|>", "<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokens.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=2048, special_tokens=special, initial_alphabet=alphabet, show_progress=False
        ),
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokens, pad_token="<|pad|>", eos_token="<|im_end|>", padding_side="left",
        chat_template=_TEMPLATE, clean_up_tokenization_spaces=False,
    )  # fmt: skip


def model_of(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """Return a language model of two layers for a tokenizer, with weights drawn from seed 0."""
    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
            num_attention_heads=2, max_position_embeddings=65_536,
            pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
        )
    )  # fmt: skip
