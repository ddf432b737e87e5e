#!/bin/sh
# The laboratory as an array of Slurm: each task does its part of the runs and writes a file of its own.
#
#     sbatch examples/lab/slurm.sh
#     python3 -m sinpos.lab report --results lab-results-*.jsonl --out lab.md
#
# A task that was stopped goes on where it was when the array is submitted again.
#SBATCH --job-name=sinpos-lab
#SBATCH --array=1-20
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --time=02:00:00
exec python3 -m sinpos.lab run --encodings all --seeds "${SEEDS:-5}" --jobs 1 \
    --part "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --results "lab-results-$SLURM_ARRAY_TASK_ID.jsonl"
