#!/bin/sh
export NCCL_IB_GID_INDEX=1
torchrun --nnodes 2 --nproc-per-node 8 train.py
