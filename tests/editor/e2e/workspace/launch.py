"""Two ranks and their launcher, in the manner of torchrun: real processes, a real connection, real exceptions.

Rank 1 fails on its own. Rank 0 waits for it on a socket and loses the connection. The launcher prefixes what they print with the
rank and sums up.
"""

import datetime
import os
import socket
import subprocess
import sys
import threading


def rank0(port_file):
    server = socket.create_server(("127.0.0.1", 0))
    with open(port_file + ".tmp", "w") as f:
        f.write(str(server.getsockname()[1]))
    os.rename(port_file + ".tmp", port_file)
    peer, _ = server.accept()
    step = 0
    while True:
        print(f"step {step} loss {2.3 - step / 10:.4f}", flush=True)
        if not peer.recv(64):
            host, port = peer.getpeername()
            raise RuntimeError(f"[../third_party/gloo/gloo/transport/tcp/pair.cc:544] Connection closed by peer [{host}]:{port}")
        step += 1


def rank1(port_file):
    while not os.path.exists(port_file):
        pass
    with open(port_file) as f:
        peer = socket.create_connection(("127.0.0.1", int(f.read())))
    for step in range(3):
        print(f"step {step} loss {2.4 - step / 10:.4f}", flush=True)
        peer.sendall(b"gradient")
    evaluate({"accuracy": 0.5})


def evaluate(metrics):
    return metrics["perplexity"]


def relay(rank, stream):
    for line in stream:
        sys.stderr.write(f"[rank{rank}]: {line}")
        sys.stderr.flush()


def launch():
    port_file = f"/tmp/launch-{os.getpid()}.port"
    ranks = [
        subprocess.Popen(
            [sys.executable, "-u", __file__, str(rank), port_file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for rank in (0, 1)
    ]
    relays = [threading.Thread(target=relay, args=(rank, process.stdout)) for rank, process in enumerate(ranks)]
    for thread in relays:
        thread.start()
    for thread in relays:
        thread.join()
    codes = [process.wait() for process in ranks]
    os.unlink(port_file)
    now = datetime.datetime.now().strftime("%m%d %H:%M:%S.%f")
    where = "torch/distributed/elastic/multiprocessing/api.py:1002]"
    for rank, process in enumerate(ranks):
        if codes[rank]:
            print(
                f"E{now} {os.getpid()} {where} failed (exitcode: {codes[rank]}) local_rank: {rank} (pid: {process.pid}) "
                f"of binary: {sys.executable}",
                file=sys.stderr,
                flush=True,
            )
            break
    sys.exit(1 if any(codes) else 0)


if len(sys.argv) == 3:
    (rank0, rank1)[int(sys.argv[1])](sys.argv[2])
else:
    launch()
