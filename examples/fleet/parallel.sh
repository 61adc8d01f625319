#!/usr/bin/env bash
# Four shards side by side, then one report. With --sshloginfile they run on other machines.
# Those that failed are run again by the same line with --resume-failed.
set -euo pipefail
mkdir -p out
export SYNCMAKE_CACHE="${SYNCMAKE_CACHE:-/var/tmp/syncmake-cache-$UID}"
status=0
seq 4 | parallel --jobs 4 --joblog out/jobs.log \
  'syncmake run --shard {}/4 -k --json > out/{}.json' || status=$?
./report.sh || exit
exit "$status"
