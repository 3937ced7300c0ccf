"""data/engines: what runs the models in the rows."""

from __future__ import annotations

from typing import Any

from facts_sources import Registry

JSON = dict[str, Any]

#: id, name, repository, licence, engine whose kernels it runs, note
ENGINES: list[tuple[str, str, str | None, str | None, str | None, str | None]] = [
    ("llama.cpp", "llama.cpp", "ggml-org/llama.cpp", "MIT", None, None),
    ("ik-llama.cpp", "ik_llama.cpp", "ikawrakow/ik_llama.cpp", "MIT", "llama.cpp", None),
    ("llama.cpp-fork", "fork of llama.cpp", None, None, "llama.cpp", "A fork that a row names; the recipe says which"),
    ("beellama", "beellama.cpp", None, None, "llama.cpp", "A fork of llama.cpp"),
    ("ollama", "Ollama", "ollama/ollama", "MIT", "llama.cpp", None),
    ("koboldcpp", "KoboldCpp", "LostRuins/koboldcpp", "AGPL-3.0", "llama.cpp", None),
    ("lm-studio", "LM Studio", "lmstudio-ai/lms", None, "llama.cpp", "Runs llama.cpp or MLX; the application is closed, its command line is MIT"),
    ("llamafile", "llamafile", "Mozilla-Ocho/llamafile", "Apache-2.0", "llama.cpp", None),
    ("localscore", "LocalScore", "cjpais/LocalScore", "Apache-2.0", "llama.cpp", "Built on llamafile"),
    ("lucebox", "lucebox-hub", "Luce-Org/lucebox-hub", None, "llama.cpp", None),
    ("vllm", "vLLM", "vllm-project/vllm", "Apache-2.0", None, None),
    ("vllm-fork", "fork of vLLM", None, None, "vllm", "A fork that a row names; the recipe says which"),
    ("llmboost", "LLMBoost", None, None, "vllm", "Commercial; built on vLLM"),
    ("sglang", "SGLang", "sgl-project/sglang", "Apache-2.0", None, None),
    ("sglang-fork", "fork of SGLang", None, None, "sglang", "A fork that a row names; the recipe says which"),
    ("tensorrt-llm", "TensorRT-LLM", "NVIDIA/TensorRT-LLM", "Apache-2.0", None, None),
    ("exllamav1", "ExLlama", "turboderp/exllama", "MIT", None, None),
    ("exllamav2", "ExLlamaV2", "turboderp-org/exllamav2", "MIT", None, None),
    ("exllamav3", "ExLlamaV3", "turboderp-org/exllamav3", "MIT", None, None),
    ("mlx-lm", "MLX LM", "ml-explore/mlx-lm", "MIT", None, None),
    ("mlc-llm", "MLC LLM", "mlc-ai/mlc-llm", "Apache-2.0", None, None),
    ("lmdeploy", "LMDeploy", "InternLM/lmdeploy", "Apache-2.0", None, None),
    ("tgi", "Text Generation Inference", "huggingface/text-generation-inference", "Apache-2.0", None, None),
    ("ktransformers", "KTransformers", "kvcache-ai/ktransformers", "Apache-2.0", None, None),
    ("deepspeed-mii", "DeepSpeed-MII", "deepspeedai/DeepSpeed-MII", "Apache-2.0", None, None),
    ("ctranslate2", "CTranslate2", "OpenNMT/CTranslate2", "MIT", None, None),
    ("transformers", "Transformers", "huggingface/transformers", "Apache-2.0", None, None),
    ("pytorch", "PyTorch", "pytorch/pytorch", "BSD-3-Clause", None, "A vendor's own harness on PyTorch (MLPerf)"),
    ("onnxruntime-genai", "ONNX Runtime GenAI", "microsoft/onnxruntime-genai", "MIT", None, None),
    ("openvino-genai", "OpenVINO GenAI", "openvinotoolkit/openvino.genai", "Apache-2.0", None, None),
    ("ninfer", "NInfer", "Neroued/ninfer", None, None, "RTX 5090 only; a closed set of checkpoints"),
    ("hipfire", "hipfire", "Kaden-Schutt/hipfire", None, None, None),
    ("sambaflow", "SambaFlow", None, None, None, "SambaNova's stack"),
]


def engine(entry: tuple[str, str, str | None, str | None, str | None, str | None], registry: Registry) -> JSON:
    ident, name, repository, license_, family, note = entry
    if repository:
        source = registry.add(
            {
                "id": f"github-{repository.split('/')[1].lower()}",
                "title": f"{name} (repository)",
                "kind": "repository",
                "url": f"https://github.com/{repository}",
                "repository": repository,
                "path": None,
                "revision": None,
            }
        )
    else:
        source = registry.add(
            {
                "id": "rows-name-the-engine",
                "title": "Published rows that name the engine",
                "kind": "measurement",
                "url": None,
                "repository": None,
                "path": None,
                "revision": None,
            }
        )
    return {"id": ident, "name": name, "repository": repository, "license": license_, "family": family, "source": source, "note": note}
