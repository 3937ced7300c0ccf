"""Tests of the importers, one file a tool."""
