#!/bin/sh
# The hooks of .pre-commit-hooks.yaml: validates the manifests in the folders of the files named. A manifest that another one
# above it includes is validated with that one: only there its paths may leave its folder.
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

# Whether the folder's manifest may include others: most do not, and reading them takes time.
mentions_include() {
  for name in syncmake.yaml syncmake.yml; do
    if [ -f "$1/$name" ] && grep -Eq -e '^([^#]*[^A-Za-z0-9_.#])?include["'\'']? *:' -- "$1/$name"; then return 0; fi
  done
  return 1
}

# Whether the manifest of the folder $1 includes $2, or a manifest in the folder of $2.
includes() {
  inner=$2
  if [ "$1" != . ]; then inner=${2#"$1"/}; fi
  inner=${inner#./}
  folder_inside=$(dirname -- "$inner")
  list=$(syncmake --directory="$1" list --json 2> /dev/null | sed -n '/"includes": \[$/,/\]/p') || return 1
  for name in "$inner" "$folder_inside/syncmake.yaml" "$folder_inside/syncmake.yml"; do
    case $list in *"\"$name\""*) return 0 ;; esac
  done
  return 1
}

for file in "$@"; do
  folder=$(dirname -- "$file")
  # The manifest that is not included by another one.
  root=$folder
  above=
  while [ "$folder" != . ] && [ "$folder" != / ]; do
    folder=$(dirname -- "$folder")
    mentions_include "$folder" || continue
    if includes "$folder" "$file"; then
      # What is between them may be a part of this one, and not be valid alone.
      root=$folder
      above=
    else
      above=$above"$folder
"
    fi
  done
  check "$root"
  # Those that may include it, and cannot be read.
  while IFS= read -r folder; do
    if [ -n "$folder" ]; then check "$folder"; fi
  done << END
$above
END
done
exit "$status"
