"""Run a contributor's own benchmark, watch the machine, and leave private data out."""
