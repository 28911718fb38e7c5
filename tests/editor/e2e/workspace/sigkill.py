"""A data loader whose worker is killed by the kernel's hand: the process ends by SIGKILL and can print nothing."""

import os
import signal

for step in range(3):
    print(f"step {step} loss {2.3 - step / 10:.4f} rss {12 + 9 * step} GiB", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
