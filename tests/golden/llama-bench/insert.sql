CREATE TABLE IF NOT EXISTS llama_bench (
  build_commit TEXT,
  avg_ts REAL
);

INSERT INTO llama_bench (build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size, model_n_params, n_batch, n_ubatch, n_threads, type_k, type_v, n_gpu_layers, split_mode, main_gpu, no_kv_offload, flash_attn, tensor_split, use_mmap, embeddings, n_prompt, n_gen, n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts) VALUES ('a1b2c3d4', '7100', 'Example CPU', 'Example, Inc. Card', 'Vulkan', 'o''clock-Q6_K.gguf', 'llama 8B Q6_K', '6600000000', '8000000000', '128', '512', '8', 'f16', 'f16', '20', 'layer', '0', '0', '1', '0.00', '1', '0', '256', '0', '0', '2026-03-04T05:06:07Z', '512000000', '1000000', '500.001000', '1.000000');
