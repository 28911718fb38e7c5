#!/bin/sh
# Makes the lab's environment: setup.sh PYTHON TORCH FOLDER. Leaves none behind where PyTorch cannot be installed.
set -e
cd "$(dirname "$0")/../.."
trap 'status=$?; test $status = 0 || rm -rf "$3"' EXIT
./tools/make-venv "$1" "$3"
rm -f "$3"/.ready-*
pip="$3/bin/pip --quiet --disable-pip-version-check"
$pip install "torch==$2" numpy
# Without its dependencies, so that the PyTorch chosen above stays; the second line is what it needs besides.
if $pip install --no-deps accelerate && $pip install psutil packaging pyyaml huggingface_hub safetensors; then exit 0; fi
echo "accelerate could not be installed; its runs are left out" >&2
$pip uninstall --yes accelerate || true
