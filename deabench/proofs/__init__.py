"""What proves a result, one file per result: numpy and pandas only, no solver, no formulation.
docs/proofs.md has the theorems.
"""
