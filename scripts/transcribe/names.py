"""From what people wrote to the ids of CardBook. A wrong resolution is worse than none."""

from __future__ import annotations

import re

ENGINES = {
    "vllm": "vllm",
    "llama.cpp": "llama.cpp",
    "llamacpp": "llama.cpp",
    "llama.cpp (mainline, from the text just before the table)": "llama.cpp",
    "ik_llama.cpp": "ik-llama.cpp",
    "ollama": "ollama",
    "lmstudio": "lm-studio",
    "mlx": "mlx-lm",
    "exllama v1": "exllamav1",
    "exllamav2": "exllamav2",
    "exllamav2 (exllamav2_hf loader)": "exllamav2",
    "exllamav3": "exllamav3",
    "mlc llm": "mlc-llm",
    "tensorrt-llm": "tensorrt-llm",
    "deepspeed": "deepspeed-mii",
    "deepspeed-mii": "deepspeed-mii",
    "beellama.cpp (llama.cpp fork)": "llama.cpp-fork",
    "llamacpp-club3090 (llama.cpp fork)": "llama.cpp-fork",
    "llama.cpp fork": "llama.cpp-fork",
    "shvllm (vllm fork)": "vllm-fork",
    "htsglang (sglang fork)": "sglang-fork",
    "sglang": "sglang",
}

KV = {
    "f16": "f16",
    "fp16": "f16",
    "bf16": "bf16",
    "bfloat16": "bf16",
    "auto (bf16)": "bf16",
    "fp8": "fp8-e4m3",
    "fp8_e4m3": "fp8-e4m3",
    "fp8/e4m3": "fp8-e4m3",
    "fp8_e5m2": "fp8-e5m2",
    "int8_per_token_head": "int8-per-token-head",
    "int8-pth": "int8-per-token-head",
    "q8_0": "q8-0",
    "q8": "q8-0",
    "q4_0": "q4-0",
    "q5_0": "q5-0",
    "q5_1": "q5-1",
    "q4_1": "q4-1",
    "iq4_nl": "iq4-nl",
    "tq3": "turboquant-3bit",
    "turboquant_3bit_nc": "turboquant-3bit",
    "turboquant_4bit_nc": "turboquant-4bit",
    "turboquant_k3v4_nc": "turboquant-k3v4",
}

#: Models that the rows name and facts/ lacks; the id is the one that data/models uses.
MODELS = {
    "qwen/qwen2-7b": "qwen2-7b",
    "qwen/qwen2-72b": "qwen2-72b",
    "deci/decilm-7b": "decilm-7b",
    "bigscience/bloom-7b1": "bloom-7b1",
    "huggyllama/llama-7b": "llama-1-7b",
    "facebook/opt-6.7b": "opt-6.7b",
    "eleutherai/gpt-j-6b": "gpt-j-6b",
    "baai/aquila-7b": "aquila-7b",
    "qwen/qwen1.5-7b": "qwen1.5-7b",
    "poolside/laguna-s-2.1-int4": "laguna-s-2.1",
    "relativ3pa1n/laguna-s-2.1-w4a16": "laguna-s-2.1",
    "qwen3.5-122b-awq": "qwen3.5-122b-a10b",
    "ministral-3-14b-instruct-2512-bf16": "ministral-3-14b",
    "minimax-m2.7-ud-q3-k-s-00001-of-00003": "minimax-m2.7",
    "ggml-org/nemotron-3-nano-4b-gguf": "nemotron-3-nano-4b",
    "qwen3.8-27b": "qwen3.8-27b",
    "deepseek r1 14b": "deepseek-r1-distill-qwen-14b",
    "liquidai/lfm2-8b-a1b": "lfm2-8b-a1b",
    "unsloth/lfm2-8b-a1b-gguf": "lfm2-8b-a1b",
    "liquidai/lfm2.5-8b-a1b": "lfm2.5-8b-a1b",
    "liquidai/lfm2-350m": "lfm2-350m",
    "arcee-ai/trinity-mini": "trinity-mini",
    "mistralai/ministral-3-3b-instruct-2512": "ministral-3-3b",
    "openllama 3b": "openllama-3b",
    "codellama 34b": "codellama-34b",
}

#: Fine-tunes and cut-down variants that the rows file under the parent model.
VARIANT = re.compile(
    r"fine-tune|heretic|pi-reasoning|carnice|reap|abliterat|uncensored|deckard|cerebellum|"
    r"thinkingcap|agentworld|prisma|opus|claude|distill|apex|distilled|neo|aggressive|"
    r"qwopus|mtp-pi|derestricted|nsfw|pruned",
    re.I,
)

#: 16-bit formats in which the vendor released the model: its own baseline.
NATIVE_16 = {"f16", "bf16"}
#: Models whose release is not 16-bit: their native format.
NATIVE = {
    "gpt-oss-20b": {"gguf-mxfp4-moe", "mxfp4-safetensors"},
    "gpt-oss-120b": {"gguf-mxfp4-moe", "mxfp4-safetensors"},
    "deepseek-v3": {"fp8-block128"},
    "deepseek-r1": {"fp8-block128"},
    "deepseek-v3.1": {"fp8-block128"},
    "kimi-k2.5": {"int4-w4a16-ct"},
}
NOT_16_BIT = set(NATIVE) | {
    "deepseek-v3.2", "deepseek-v4-flash", "deepseek-v4-pro", "kimi-k2", "kimi-k2.6", "kimi-k3",
    "minimax-m2", "minimax-m2.5", "minimax-m2.7",
}  # fmt: skip


#: Cards that a row writes clearly and leaves unresolved.
CARDS = {
    "habana gaudi2": "gaudi2",
    "amd ryzen 7 7840hs": "ryzen-7-7840hs",
    "dell pro max with gb10 (nvidia spark)": "gb10",
    "pi cm5 - 16gb (nvidia rtx 4090)": "rtx-4090",
    "system76 thelio astra (nvidia a4000)": "rtx-a4000",
    "pi 5 - 16gb": "raspberry-pi-5",
    "pi 5 - 8gb": "raspberry-pi-5",
    "ampereone a192-32x (512gb)": "ampereone-a192-32x",
    "ampereone a192-32x - 512gb": "ampereone-a192-32x",
    "framework desktop mainboard (395+)": "ryzen-ai-max-395",
    "3090": "rtx-3090",
    "intel pvc gpu": "intel-max-1550",
    "intel max 1550": "intel-max-1550",
    "nvidia geforce gtx 1050 ti": "gtx-1050-ti",
    "apple m4 max 16-core cpu / 40-core gpu": "apple-m4-max-40",
}


def card(row: dict) -> str | None:
    """The card, also where a row writes it clearly and leaves it unresolved."""
    return row["card"] or CARDS.get((row["card_as_written"] or "").strip().lower())


def engine(text: str | None) -> str | None:
    return ENGINES.get((text or "").strip().lower())


def model(row: dict) -> str | None:
    if row["model"]:
        return row["model"]
    text = (row.get("model_as_written") or "").strip().lower()
    return MODELS.get(re.sub(r"\.gguf$", "", text))


_UD = re.compile(r"UD[-_](I?Q\d)_(K?_?(?:XXS|XXL|XL|XS|NL|M|S|L))", re.I)


def quant(row: dict) -> str | None:
    """The slug of facts/, with Unsloth's dynamic mixes told apart by the name of the preset."""
    slug = row["quant"]
    if slug != "gguf-ud-dynamic":
        return slug
    for text in (row.get("model_as_written") or "", row.get("command") or "", row.get("quant_as_written") or ""):
        found = _UD.search(text)
        if found:
            return f"gguf-ud-{found.group(1)}-{found.group(2)}".lower().replace("_", "-").replace("--", "-")
    text = (row.get("quant_as_written") or "").strip().lower()
    if text == "q8kxl":
        return "gguf-ud-q8-k-xl"
    if re.fullmatch(r"i?q\d_k_xl", text):
        return "gguf-ud-" + text.replace("_", "-")
    return None


def kv(text: str | None, model_id: str | None) -> tuple[str | None, str | None]:
    """(slug, note). The note says what the slug cannot."""
    if not text:
        return None, None
    raw = text.strip()
    key = re.sub(r"\s*\(from the notes\)$", "", raw).strip().lower()
    if key in KV:
        return KV[key], None
    pair = re.fullmatch(r"k (\S+) v (\S+)", key) or re.fullmatch(r"(\S+) ?/ ?(\S+)", key)
    if pair:
        k, v = KV.get(pair.group(1)), KV.get(pair.group(2))
        if k and k == v:
            return k, None
    if key.startswith("auto (fp16"):
        return "f16", f"KV cache as written: {raw}"
    only_k = re.fullmatch(r"k (\S+)", key)
    if only_k and (model_id or "").startswith("deepseek") and only_k.group(1) in KV:
        return KV[only_k.group(1)], None
    if key == "auto":
        return "bf16", "KV cache 'auto': the engine's default, the 16-bit type of the model"
    return None, f"KV cache as written: {raw}" if raw not in ("K", "k") else None


def native(model_id: str, quant_id: str) -> bool:
    if quant_id in NATIVE.get(model_id, ()):
        return True
    return quant_id in NATIVE_16 and model_id not in NOT_16_BIT
