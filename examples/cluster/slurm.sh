#!/usr/bin/env bash
# A table that is larger than one machine should make, on the ranks of Slurm:
#
#     sbatch examples/cluster/slurm.sh
#
# --resume keeps what is done beside the output, so --requeue goes on after a lost node or a time limit. The output
# lies on a file system that all nodes share. One rank a node with all of its processors makes a block at a time;
# more ranks a node help where one thread's writing is the limit.
#
# --mpi=pmix is how Debian's Open MPI begins under srun; without it each rank would stand alone. `srun --mpi=list` prints
# what a cluster has, and mpirun inside the job takes the ranks of Slurm as well.
#SBATCH --job-name=sinpos
#SBATCH --nodes=8
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=32
#SBATCH --time=02:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

output=${SINPOS_OUTPUT:-$SLURM_SUBMIT_DIR/positions.npy}
srun --mpi=pmix --cpu-bind=cores sinpos-mpi table --dim 1024 --length 1000000000 --start 0 -o "$output" --resume

# Others, in the same way:
#   srun --mpi=pmix sinpos-mpi audit models/*.safetensors --tensor embed_positions.weight --json -o audit.json --resume
#   srun --mpi=pmix sinpos-mpi base --dims 64,96,128,256 --context 65536,131072,262144 -o certificates.json --resume
