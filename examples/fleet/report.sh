#!/usr/bin/env bash
# One report of all shards; it ends in the worst status of them, and in 3 if a report is missing.
set -euo pipefail
status=0
syncmake merge out/*.json --junit junit.xml || status=$?
syncmake merge out/*.json --json > run.json 2> /dev/null || true
exit "$status"
