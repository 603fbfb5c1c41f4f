"""Simulated tables and samples of known truth, reference solvers, and what they measure."""
