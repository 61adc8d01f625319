# Functions of the parts in scripts/torture.d; to be sourced. Changes to the project's folder.
# shellcheck shell=bash
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# usage: run_tests ARGUMENT…
# As `swift test`. Tests that were built already are run by their own program: `swift test` would wait for that of another
# part to end.
run_tests() {
  local program=.build/debug/syncmakePackageTests.xctest
  if [[ -n ${SYNCMAKE_TORTURE_BUILD-} && -f $program ]]; then
    "$program" --testing-library swift-testing "$@"
  else
    swift test ${SYNCMAKE_TORTURE_BUILD:+$SYNCMAKE_TORTURE_BUILD} "$@"
  fi
}

# usage: swift_part NAME SUITE COUNT [ARGUMENT…]
# Runs the tests of SUITE with COUNT cases, or as `--count N` and `--seed N` among the arguments say. Prints
# the failures and the closing line `NAME: N cases, N violations`. Succeeds only if the tests did.
swift_part() {
  local name=$1 suite=$2 count=$3 seed=1 first=0
  shift 3
  while [[ $# -gt 0 ]]; do
    case $1 in
      --count) count=$2 && shift ;;
      --seed) seed=$2 && shift ;;
      --first) first=$2 && shift ;;
      *) die "unknown option '$1'" '--count N, --seed N and --first N are known' ;;
    esac
    shift
  done
  local log status=0 line
  log=$(mktemp)
  # Thousands of small runs wait for a disk only if the folder is on one.
  local folder=${TMPDIR:-/tmp}
  if [[ -d /dev/shm && -w /dev/shm ]]; then folder=$(mktemp -d /dev/shm/syncmake-torture-XXXXXX); fi
  TMPDIR=$folder SYNCMAKE_TORTURE_CASES=$count SYNCMAKE_TORTURE_SEED=$seed SYNCMAKE_TORTURE_FIRST=$first \
    run_tests --filter "\\.$suite/" > "$log" 2>&1 || status=$?
  line=$(grep -E "^$name: [0-9]+ cases, [0-9]+ violations\$" "$log" | tail -n 1 || true)
  if [[ $status -ne 0 || -z $line ]]; then
    grep -vE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 200 >&2
    status=$((status == 0 ? 1 : status))
  fi
  rm -f "$log"
  if [[ $folder == /dev/shm/syncmake-torture-* ]]; then rm -rf "$folder"; fi
  printf '%s\n' "${line:-$name: 0 cases, 1 violations}"
  return "$status"
}

# usage: scenario_part NAME PREFIX…
# Plays the scenarios whose names begin with a PREFIX. Prints the failures and `NAME: N cases, N violations`. Succeeds
# only if there were scenarios and all of them passed.
scenario_part() {
  local name=$1 played=0 violations=0 prefix status log
  shift
  log=$(mktemp)
  for prefix in "$@"; do
    status=0
    SYNCMAKE_SCENARIO=$prefix run_tests --filter ScenarioTests > "$log" 2>&1 || status=$?
    played=$((played + $(grep -cE "argument name → \"$prefix.* started" "$log" || true)))
    if [[ $status -ne 0 ]]; then
      grep -vE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 200 >&2
      local broken
      broken=$(grep -cE "recorded an issue .*argument name → \"$prefix" "$log" || true)
      violations=$((violations + (broken > 0 ? broken : 1)))
    fi
  done
  rm -f "$log"
  printf '%s: %d cases, %d violations\n' "$name" "$played" "$violations"
  [[ $violations -eq 0 && $played -gt 0 ]]
}
