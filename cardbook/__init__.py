"""CardBook: measured LLM inference on named GPUs, checked against the physics."""
