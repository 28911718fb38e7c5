"""Fails in its text although the shell says 0: the usual `python train.py | tee run.log`."""

import sys
import traceback

try:
    weights = [0.0] * 4
    weights[7] = 1.0
except IndexError:
    traceback.print_exc(file=sys.stdout)
