#!/bin/sh
# The hooks of .pre-commit-hooks.yaml: validates the manifests in the folders of the files named, and those in folders above
# that may include them.
#
# usage: packaging/pre-commit.sh [--locked] FILE…
set -u

locked=
if [ "${1-}" = --locked ]; then
  locked=--locked
  shift
fi
if ! command -v syncmake > /dev/null; then
  echo 'syncmake is not in PATH; docs/install.md says how to install it' >&2
  exit 1
fi

status=0
# A manifest and its lock are two files and one folder.
done=/

check() {
  case $done in *"/<$1>/"*) return ;; esac
  done=$done"<$1>/"
  # An included manifest may have another name, and be alone in its folder.
  if [ ! -e "$1/syncmake.yaml" ] && [ ! -e "$1/syncmake.yml" ]; then return; fi
  if [ -n "$locked" ] && [ ! -e "$1/syncmake.lock" ]; then return; fi
  # Paths in its messages are relative to the folder, whose name may begin with a dash.
  syncmake --directory="$1" validate ${locked:+"$locked"} || {
    printf 'syncmake validate failed in the folder %s\n' "$1" >&2
    status=1
  }
}

# Whether the folder's manifest may include one below it.
includes() {
  for name in syncmake.yaml syncmake.yml; do
    if [ -f "$1/$name" ] && grep -Eq -e "^[\"']?include[\"']? *:" -- "$1/$name"; then return 0; fi
  done
  return 1
}

for file in "$@"; do
  folder=$(dirname -- "$file")
  check "$folder"
  while [ "$folder" != . ] && [ "$folder" != / ]; do
    folder=$(dirname -- "$folder")
    if includes "$folder"; then check "$folder"; fi
  done
done
exit "$status"
