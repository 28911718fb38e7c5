"""`python -m firstfault`."""

import sys

from firstfault.cli.main import main

sys.exit(main())
