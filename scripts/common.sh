# Functions of all scripts; to be sourced. Changes to the project's folder.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# Prints the error and a hint, and ends the script.
die() {
  printf '%s: error: %s\n' "$(basename "$0")" "$1" >&2
  if [[ $# -gt 1 ]]; then printf '%s: hint: %s\n' "$(basename "$0")" "$2" >&2; fi
  exit 1
}

# Prints a heading; headings go to standard error, results to standard output.
heading() { printf '==> %s\n' "$1" >&2; }

# Ends the script unless there is a Swift that can read our Package.swift.
need_swift() {
  local where='https://www.swift.org/install'
  command -v swift > /dev/null || die 'there is no swift on the PATH' "install Swift 6.2 or later: $where"
  local version
  version=$(swift --version 2> /dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | head -n 1)
  [[ -n $version ]] || die 'swift does not run here' "\`swift --version\` shows why; $where has others"
  # The smaller of the two versions must be the required one.
  [[ $(printf '6.2\n%s\n' "$version" | sort -V | head -n 1) == 6.2 ]] \
    || die "Swift $version is too old" "install Swift 6.2 or later: $where"
}

# Builds syncmake as users get it, and sets `built` to the program.
#
# macOS has the standard libraries in the system. Elsewhere the program contains Swift's libraries, and C++'s if the
# compiler has it as an archive: looking up its names took half of the instructions of a start. The program is linked
# for one address, as Go's programs are, and only the tests check exclusive access (docs/decisions/0013). It has no
# symbols, which are more than half of its size, unless the first argument is `with-symbols`: profilers read them.
build_release() {
  # Libraries are those of the system: none is searched for beside the program.
  local build=(swift build -c release --product syncmake --disable-local-rpath) archive
  build+=(-Xswiftc -enforce-exclusivity=unchecked)
  if [[ $(uname) != Darwin ]]; then
    build+=(--static-swift-stdlib -Xlinker --no-export-dynamic -Xlinker -no-pie)
    archive=$(cc -print-file-name=libstdc++.a 2> /dev/null || true)
    if [[ $archive == /* ]]; then
      mkdir -p .build/archives
      ln -sf "$archive" .build/archives/libstdc++.a
      build+=(-Xlinker "-L$PWD/.build/archives")
    fi
  fi
  if [[ ${1-} != with-symbols ]]; then
    # macOS's linker keeps the global symbols, which the system's tools expect.
    if [[ $(uname) == Darwin ]]; then build+=(-Xlinker -x); else build+=(-Xlinker -s); fi
  fi
  heading 'building syncmake'
  "${build[@]}" >&2
  built=$("${build[@]}" --show-bin-path)/syncmake
}
