"""Process tables that do not fit in memory: frontiers and scores of Parquet files, in batches."""
