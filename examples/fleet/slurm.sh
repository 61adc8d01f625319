#!/usr/bin/env bash
# An array of four; --array=1-64%8 has at most eight of 64 tasks at work, for the servers' sake.
# RequeueExit=75 in slurm.conf starts a task again after failures that may pass. Without it:
#   syncmake … || { [ $? = 75 ] && scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"; }
# Afterwards: sbatch --dependency=afterany:JOB --wrap 'syncmake merge out/*.json --junit junit.xml'
# To run tasks 3 and 7 again, name the total: --array=3,7 with --shard "$SLURM_ARRAY_TASK_ID/4".
#SBATCH --array=1-4
#SBATCH --requeue
#SBATCH --output=out/%a.log
set -euo pipefail
exec syncmake run --shard auto -k --json > "out/$SLURM_ARRAY_TASK_ID.json"
