"""What a study is to do: a study file or what was given from code, found good and turned into
tasks.
"""
