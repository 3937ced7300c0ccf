"""Rules: metadata and one pure check each, returning findings."""
