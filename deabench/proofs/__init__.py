"""Prove results from their own numbers, one module per result, with numpy and pandas alone.

No solver and no formulation is imported. docs/proofs.md has the theorems.
"""
