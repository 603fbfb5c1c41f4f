"""Solve families of linear programs: templates of Pyomo formulations, HiGHS, shared bases.

The package knows programs, columns and right-hand sides, and none of the terms of DEA.
"""
