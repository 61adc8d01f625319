#!/usr/bin/env bash
# Four shards side by side, then one report. With --sshloginfile they run on other machines.
# Those that failed are run again by the same line with --resume-failed.
set -euo pipefail
mkdir -p out
status=0
seq 4 | parallel --jobs 4 --joblog out/jobs.log \
  'syncmake run --shard {}/4 -k --json > out/{}.json' || status=$?
syncmake merge out/*.json || exit
exit "$status"
