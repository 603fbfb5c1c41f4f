"""The plan of a study, from a file or from code, and its tasks.

`study_file` reads a plan from a file, `arguments` makes one of Python objects; both go through
`settings`. A task is one classifier on one fold of one data set. Its key is a digest of everything
that its result depends on: data, classifier with its code, split and seed.
"""
