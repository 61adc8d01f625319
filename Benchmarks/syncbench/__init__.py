"""Measures syncmake beside the programs that do parts of its work (docs/performance.md)."""
