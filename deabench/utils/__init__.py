"""Helpers that know nothing of DEA: files, text, progress, arrays, threads, lazy imports."""
