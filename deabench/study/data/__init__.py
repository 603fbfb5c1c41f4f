"""What a study is about: data sets, where they come from, their types, and how their rows are
split.
"""
