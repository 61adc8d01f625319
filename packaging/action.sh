#!/usr/bin/env bash
# The steps of action.yml. Inputs come as environment variables and never as a part of a command.
#
# usage: packaging/action.sh install | prepare | paths | run | pull-request
set -euo pipefail

# An annotation; text from outside cannot begin a command of its own.
fail() {
  local text=$1
  text=${text//'%'/'%25'}
  text=${text//$'\r'/'%0D'}
  text=${text//$'\n'/'%0A'}
  printf '::error title=syncmake::%s\n' "$text" >&2
  exit 1
}

# usage: output NAME VALUE: one of the step's outputs. The mark cannot be guessed, so that a value cannot end it.
output() {
  local mark
  mark=end-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  printf '%s<<%s\n%s\n%s\n' "$1" "$mark" "$2" "$mark" >> "$GITHUB_OUTPUT"
}

install() {
  [[ ${INPUT_VERSION-} =~ ^v?[0-9A-Za-z.+-]*$ ]] || fail "the input 'version' is no version: ${INPUT_VERSION-}"
  [[ ${INPUT_SHA256-} =~ ^([0-9a-fA-F]{64})?$ ]] || fail "the input 'sha256' is no sha256 in hexadecimal: ${INPUT_SHA256-}"
  local prefix=${RUNNER_TEMP:?}/syncmake
  SYNCMAKE_VERSION=${INPUT_VERSION-} SYNCMAKE_SHA256=${INPUT_SHA256-} SYNCMAKE_PREFIX=$prefix \
    "$(dirname "${BASH_SOURCE[0]}")/install.sh"
  printf '%s\n' "$prefix/bin" >> "$GITHUB_PATH"
}

# Into the folder that the input names, which must be in the workspace.
enter_folder() {
  local folder
  folder=$(cd -- "${GITHUB_WORKSPACE:?}" && realpath -e -- "${INPUT_WORKING_DIRECTORY:-.}" 2> /dev/null) \
    || fail "the input 'working-directory' names no folder: ${INPUT_WORKING_DIRECTORY-}"
  case $folder/ in
    "$(realpath "$GITHUB_WORKSPACE")"/*) ;;
    *) fail "the input 'working-directory' names a folder outside of the workspace: $INPUT_WORKING_DIRECTORY" ;;
  esac
  cd -- "$folder"
}

check_command() {
  case ${INPUT_COMMAND-} in
    run | plan | update | lock | validate) ;;
    *) fail "the input 'command' must be run, plan, update, lock or validate, not: ${INPUT_COMMAND-}" ;;
  esac
}

# Where the state is cached, and under which key state and outputs are.
prepare() {
  check_command
  enter_folder
  local key=syncmake-${RUNNER_OS:-Linux}-${RUNNER_ARCH:-X64}
  output state "$PWD/.syncmake"
  output prefix "$key-"
  # The same lock means the same files. Without one, nothing names them.
  if [[ -f syncmake.lock ]]; then
    output key "$key-$(sha256sum < syncmake.lock | cut -d ' ' -f 1)"
  else
    output key "$key-${GITHUB_RUN_ID-}-${GITHUB_RUN_ATTEMPT-}"
  fi
}

# The input `args`. Several lines: each is an argument. One line: words. Nothing is expanded, and quotes are letters.
read_arguments() {
  args=()
  local line text=${INPUT_ARGS-}
  # A block of YAML ends in a newline, also if it has one line.
  while [[ $text == *$'\n' ]]; do text=${text%$'\n'}; done
  if [[ $text == *$'\n'* ]]; then
    while IFS= read -r line; do [[ -z $line ]] || args+=("$line"); done <<< "$text"
  else
    read -ra args <<< "$text"
  fi
}

# The outputs that are known now, as patterns of actions/cache: an output with a special character is not cached. A
# cache is only found by the patterns that it was saved with. The outputs of lists are known from the lock or the state.
# What is wrong with the manifest or the lock is told by the command that follows.
paths() {
  enter_folder
  local found manifest=() args number
  read_arguments
  for number in "${!args[@]}"; do
    case ${args[number]} in
      -f | --file) manifest=(--file "${args[number + 1]-}") ;;
      --file=*) manifest=("${args[number]}") ;;
    esac
  done
  found=$(syncmake list --json "${manifest[@]}" 2> /dev/null | jq -r '.targets[].output' | grep -v '[][*?!#~\\]' | sort -u \
    | while IFS= read -r path; do printf '%s\n' "$PWD/$path"; done || true)
  output paths "$found"
}

run() {
  check_command
  enter_folder
  local args
  read_arguments
  local status=0 document moved='[]'
  document=$(mktemp "${RUNNER_TEMP:?}/syncmake.XXXXXX")
  case $INPUT_COMMAND in
    plan | update)
      syncmake "$INPUT_COMMAND" --json "${args[@]}" > "$document" || status=$?
      if [[ -s $document ]]; then
        if [[ $INPUT_COMMAND == plan ]]; then
          moved=$(jq -c '[.targets[]? | select(.lock == "moved") | .name]' "$document")
        else
          moved=$(jq -c '[.changes[]? | select(.kind == "moved") | .name]' "$document")
        fi
        cat "$document"
        cp "$document" "$RUNNER_TEMP/syncmake-$INPUT_COMMAND.json"
      fi
      ;;
    *) syncmake "$INPUT_COMMAND" "${args[@]}" || status=$? ;;
  esac
  rm -f "$document"
  output moved "$moved"
  exit "$status"
}

# Proposes the lock that `update` has written.
pull_request() {
  enter_folder
  # A new one counts, too. A git that fails ends the step.
  local changed
  changed=$(git status --porcelain -- syncmake.lock)
  [[ -n $changed ]] || return 0
  local branch=syncmake-update body=$RUNNER_TEMP/syncmake-changes.md server=${GITHUB_SERVER_URL:-https://github.com}
  jq -r '.changes[] | "- **\(.name)** \(.kind)"' "$RUNNER_TEMP/syncmake-update.json" > "$body"
  git switch -q -C "$branch"
  git add -- syncmake.lock
  git -c user.name=syncmake -c user.email=syncmake@localhost commit -q -m 'Update remote files' -- syncmake.lock
  # For git only, and not among a process's arguments. It replaces what actions/checkout may have stored.
  local header
  header="AUTHORIZATION: basic $(printf 'x-access-token:%s' "${GH_TOKEN:?}" | base64 -w 0)"
  GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0="http.$server/.extraheader" GIT_CONFIG_VALUE_0='' \
    GIT_CONFIG_KEY_1="http.$server/.extraheader" GIT_CONFIG_VALUE_1=$header \
    git push -q --force origin "$branch"
  gh pr create --head "$branch" --title 'Update remote files' --body-file "$body" \
    || gh pr edit "$branch" --body-file "$body"
}

case ${1-} in
  install | prepare | paths | run) "$1" ;;
  pull-request) pull_request ;;
  *) fail "unknown step '${1-}'" ;;
esac
