"""A training step that fails with an ordinary exception, in the user's own code."""

import time


def collate(rows):
    width = len(rows[0])
    return [[float(cell) for cell in row[:width]] for row in rows]


def main():
    for step in range(3):
        print(f"step {step} loss {2.3 - step / 10:.4f}", flush=True)
        time.sleep(0.05)
    batch = collate([["0.1", "0.2"], ["0.3", "n/a"]])
    print(batch)


main()
