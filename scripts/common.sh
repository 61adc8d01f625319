# Functions of all scripts; to be sourced. Changes to the project's folder.
# shellcheck shell=bash

# What the caller has configured for himself must not change what is tested or measured.
export SYNCMAKE_CONFIG=off

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# A script named python3, such as pyenv's, takes longer to find Python than most programs here take to run in it.
if [[ $(head -c 2 "$(command -v python3)" 2> /dev/null | tr -d '\0') == '#!' ]]; then
  if python=$(python3 -c 'import sys; print(sys.executable)' 2> /dev/null); then PATH=$(dirname "$python"):$PATH; fi
fi

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

# Whether the Swift toolchain can link libFuzzer; Apple's cannot.
has_libfuzzer() {
  local folder status=0
  folder=$(mktemp -d)
  printf '%s\n' '@_cdecl("LLVMFuzzerTestOneInput") public func take(_ bytes: UnsafeRawPointer?, _ count: Int) -> CInt { 0 }' \
    > "$folder/probe.swift"
  swiftc -sanitize=fuzzer -parse-as-library "$folder/probe.swift" -o "$folder/probe" > /dev/null 2>&1 || status=1
  rm -rf "$folder"
  return "$status"
}

# usage: build_for_tests OPTION…
#
# Builds for tests, with the dependencies of every module checked. SYNCMAKE_TEST_BUILD_OPTIONS, words, are more options
# of `swift build`: if one build has others than the one before, everything is built anew.
build_for_tests() {
  local more=()
  read -ra more <<< "${SYNCMAKE_TEST_BUILD_OPTIONS-}"
  # Every import must be a declared dependency: this keeps the dependencies between modules (docs/architecture.md).
  swift build --explicit-target-dependency-import-check error ${more[@]+"${more[@]}"} "$@"
}

# usage: build_release stripped|with-symbols [reproducibly]
#
# Builds syncmake as users get it, and sets `built` to the program.
#
# macOS has the standard libraries in the system. Elsewhere the program contains Swift's libraries, and C++'s, libyaml,
# zlib and SQLite if the system has them as archives (docs/decisions/0025). The program is linked for one address, as
# Go's programs are, and only the tests check exclusive access (docs/decisions/0013). It does not contain the name of
# the folder in which it was built. It has no symbols, which are more than half of its size, if it is `stripped`;
# profilers need it `with-symbols`. Two builds differ less often if they are made `reproducibly`.
#
# SYNCMAKE_BUILD_OPTIONS, words, are more options of `swift build`, such as those that Homebrew needs.
build_release() {
  local build=()
  # The order of addresses in the compiler's memory decides some of its choices.
  if [[ ${2-} == reproducibly ]] && setarch --addr-no-randomize true 2> /dev/null; then
    build+=(setarch --addr-no-randomize)
  fi
  # Libraries are those of the system: none is searched for beside the program.
  build+=(swift build -c release --product syncmake --disable-local-rpath)
  local more=()
  read -ra more <<< "${SYNCMAKE_BUILD_OPTIONS-}"
  build+=(${more[@]+"${more[@]}"})
  build+=(-Xswiftc -enforce-exclusivity=unchecked)
  build+=(-Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=.")
  if [[ $(uname) != Darwin ]]; then
    rm -rf .build/archives
    mkdir -p .build/archives
    build+=(--static-swift-stdlib -Xlinker --no-export-dynamic -Xlinker -no-pie)
    # C that is compiled in decides nothing about the speed: its digests are in assembler.
    build+=(-Xcc -Os)
    # Functions of the same bytes are there once: nothing here tells functions apart by their addresses.
    build+=(-Xlinker --icf=all)
    # Nothing in the program unwinds a stack while it runs: it has no index for that. LLVM's linker can also leave out
    # the descriptions of all frames, which are a tenth of the program.
    build+=(-Xlinker --no-eh-frame-hdr)
    if [[ -x $(dirname "$(realpath "$(command -v swift)")")/ld.lld ]]; then
      printf 'SECTIONS { /DISCARD/ : { *(.eh_frame) } } INSERT AFTER .text;\n' > .build/archives/no-frames.ld
      build+=(-Xswiftc -use-ld=lld -Xlinker -T -Xlinker .build/archives/no-frames.ld)
    fi
    # The linker looks into this folder before the system's, and takes what it finds there. The path is relative: a
    # description for pkg-config cannot have a blank in it.
    build+=(-Xlinker -L.build/archives --pkg-config-path "$PWD/.build/archives")
    link_archive libstdc++.a || true
    link_archive libgcc_eh.a libgcc_s.a || true
    if link_archive libyaml.a; then describe_archive yaml-0.1; fi
    if link_archive libz.a; then describe_archive zlib; fi
    if link_archive libsqlite3.a; then build+=(-Xcc -DSYNCMAKE_LINKS_SQLITE -Xlinker -lsqlite3 -Xlinker -lm); fi
  fi
  if [[ $1 == stripped ]]; then
    # macOS's linker keeps the global symbols, which the system's tools expect.
    if [[ $(uname) == Darwin ]]; then build+=(-Xlinker -x); else build+=(-Xlinker -s); fi
  fi
  heading 'building syncmake'
  "${build[@]}" >&2
  # shellcheck disable=SC2034
  built=$("${build[@]}" --show-bin-path)/syncmake
}

# Builds the program that the end-to-end tests run, as users get it, and names it in SYNCMAKE_BINARY, unless that names
# one. A debug build would take six times as long for each of their thousands of runs.
build_tested_program() {
  if [[ -n ${SYNCMAKE_BINARY-} ]]; then return 0; fi
  build_release stripped
  export SYNCMAKE_BINARY=$built
}

# usage: link_archive NAME [AS]: puts a link to the compiler's or the system's archive NAME into .build/archives.
link_archive() {
  local archive
  archive=$(cc -print-file-name="$1" 2> /dev/null || true)
  [[ $archive == /* ]] || return 1
  ln -s "$archive" ".build/archives/${2-$1}"
}

# usage: describe_archive NAME: pkg-config's description of a library, with .build/archives before the system's folders.
# Options for the linker would come after these.
describe_archive() {
  sed "s|^Libs: *|&-L.build/archives |" "$(pkg-config --variable=pcfiledir "$1")/$1.pc" > ".build/archives/$1.pc"
}

# What builds the documentation's site, in a folder of its own: it depends on much.
install_site_tools() {
  [[ ! -x .build/site-venv/bin/mkdocs ]] || return 0
  heading "installing mkdocs-material for the documentation's site"
  { python3 -m venv .build/site-venv && .build/site-venv/bin/pip install --quiet --disable-pip-version-check \
    mkdocs-material==9.8.2; } >&2
}
