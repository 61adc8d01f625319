#!/usr/bin/env bash
# Submits the array of slurm.sh, and a job that makes one report when all tasks have ended, however they ended. The table of
# the shards is in merge.log then, the document as of one run in run.json, a test suite for each shard in junit.xml.
set -euo pipefail
mkdir -p out
array=$(sbatch --parsable slurm.sh)
sbatch --parsable --dependency="afterany:$array" --output=merge.log report.sh
