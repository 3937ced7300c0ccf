"""Releases: every form of one version, and what changed between two of them."""
