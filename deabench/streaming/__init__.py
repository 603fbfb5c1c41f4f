"""Tables that do not fit in memory: frontiers and scores of Parquet files, batch by batch, alone or
on a cluster.
"""
