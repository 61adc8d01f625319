#!/usr/bin/env bash
# An array of four; --array=1-64%8 has at most eight of 64 tasks at work, for the servers' sake. submit.sh submits it, and
# the job that makes one report.
# RequeueExit=75 in slurm.conf starts a task again after failures that may pass. Without it:
#   syncmake … || { [ $? = 75 ] && scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"; }
# auto/4 refuses an array that is only a part of them. To run tasks 2 and 3 again: --array=2-3 and
# --shard "$SLURM_ARRAY_TASK_ID/4".
#SBATCH --array=1-4
#SBATCH --requeue
#SBATCH --output=out/%a.log
set -euo pipefail
# On the node's own disk, for all tasks and projects there.
export SYNCMAKE_CACHE="${SYNCMAKE_CACHE:-/var/tmp/syncmake-cache-$UID}"
exec syncmake run --shard auto/4 -k --json > "out/$SLURM_ARRAY_TASK_ID.json"
