"""Thin adapters to the libraries that users already work with."""
