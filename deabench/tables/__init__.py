"""Tables as people have them: the gate that every table passes, what columns measure, readers of
files and objects.
"""
