"""How fast deabench is, and whether it is right, beside the other ways to the same numbers: `python
-m benchmarks`.

Everything runs in one process and one thread. Ways to the same numbers take turns, and what counts
is CPU time: the median over the turns. What would take hours is timed on a sample of the DMUs and
said to be. Peers that are not installed are left out."""
