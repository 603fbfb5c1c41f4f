"""Recognise what a source is, and what each of its columns measures."""
