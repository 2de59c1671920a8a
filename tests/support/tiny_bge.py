"""A real checkpoint of BGE-M3's shape, small enough to be made in a test: random weights."""

import json
from pathlib import Path

WORDS = [
    "the",
    "approval",
    "gate",
    "plugin",
    "phase",
    "one",
    "evaluation",
    "memory",
    "daemon",
    "stores",
    "chunks",
    "of",
    "markdown",
    "and",
    "session",
    "text",
    "search",
    "notes",
    "for",
    "decision",
    "about",
    "vector",
    "index",
    "restart",
    "service",
    "check",
    "health",
    "database",
    "migration",
    "needs",
    "backup",
    "first",
    "gateway",
    "moved",
    "to",
    "port",
    "release",
    "window",
    "wednesday",
]
HAN = (
    "人工审批门插件完成了第一阶段评估记忆守护进程保存会话和笔记的文本块"
    "检索关于向量索引决定重启服务数据库迁移需要先备份"
)
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
HIDDEN, LAYERS, POSITIONS = 32, 2, 514


def make_checkpoint(folder: Path, *, seed: int = 0, binary: bool = False) -> Path:
    """The files that FlagEmbedding loads, in the layout of the published checkpoint.

    ``binary``: weights as pytorch_model.bin. Equal seeds give equal weights.
    """
    import torch  # noqa: PLC0415 (an extra)
    from transformers import XLMRobertaConfig, XLMRobertaModel  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    words = _write_tokenizer(folder)
    torch.manual_seed(seed)
    config = XLMRobertaConfig(
        vocab_size=words,
        hidden_size=HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=4,
        intermediate_size=4 * HIDDEN,
        max_position_embeddings=POSITIONS,
        type_vocab_size=1,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        initializer_range=0.4,
    )
    model = XLMRobertaModel(config).eval()
    if binary:
        config.architectures = ["XLMRobertaModel"]
        config.save_pretrained(folder)
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
    else:
        model.save_pretrained(folder)
    torch.save(torch.nn.Linear(HIDDEN, HIDDEN).state_dict(), folder / "colbert_linear.pt")
    torch.save(torch.nn.Linear(HIDDEN, 1).state_dict(), folder / "sparse_linear.pt")
    return folder


def _write_tokenizer(folder: Path) -> int:
    """A Unigram tokenizer with a fixed vocabulary; how many tokens it has."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors  # noqa: PLC0415

    singles = [chr(code) for code in range(33, 127)] + sorted(set(HAN))
    pieces = [f"▁{word}" for word in dict.fromkeys(WORDS)]
    vocabulary = [(token, 0.0) for token in SPECIAL]
    vocabulary += [("▁", -3.0)] + [(piece, -2.0) for piece in pieces]
    vocabulary += [(one, -6.0) for one in singles]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.add_special_tokens([*SPECIAL, "<mask>"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    named = {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "cls_token": "<s>",
        "sep_token": "</s>",
        "pad_token": "<pad>",
        "unk_token": "<unk>",
        "mask_token": "<mask>",
    }
    about = {"tokenizer_class": "XLMRobertaTokenizer", "model_max_length": POSITIONS - 2}
    (folder / "tokenizer_config.json").write_text(json.dumps(about | named), encoding="utf-8")
    (folder / "special_tokens_map.json").write_text(json.dumps(named), encoding="utf-8")
    return int(tokenizer.get_vocab_size())
