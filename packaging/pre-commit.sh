#!/bin/sh
# The hooks of .pre-commit-hooks.yaml: validates the manifests in the folders of the files named.
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
for file in "$@"; do
  folder=$(dirname -- "$file")
  case $done in *"/<$folder>/"*) continue ;; esac
  done=$done"<$folder>/"
  if [ -n "$locked" ] && [ ! -e "$folder/syncmake.lock" ]; then continue; fi
  syncmake -C "$folder" validate ${locked:+"$locked"} || status=1
done
exit "$status"
