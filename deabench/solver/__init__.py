"""The only place that knows HiGHS: formulations are compiled once (`template`) and solved for every
DMU (`engine`).
"""
