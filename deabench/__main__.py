"""`python -m deabench` is the `deabench` command."""

import sys

from deabench.cli import main

sys.exit(main())
