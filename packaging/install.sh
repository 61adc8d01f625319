#!/bin/sh
# Installs a released syncmake, after checking that it is the published one.
#
# usage: install.sh [--version VERSION] [--prefix DIR] [--from PLACE] [--sha256 DIGEST] [--key KEY] [--uninstall]
#   --version VERSION   such as 0.1.0; the default is the latest release
#   --prefix DIR        where to (default /usr/local for root, else ~/.local)
#   --from PLACE        where the release's files are: a URL or a folder
#   --sha256 DIGEST     of the archive; with --version and without a key, SHA256SUMS is then not fetched
#   --key KEY           minisign's public key, with which SHA256SUMS must be signed (SHA256SUMS.minisig)
#   --uninstall         remove what an installation puts below the prefix
#
# Each option has a variable that counts where the option is not given: SYNCMAKE_VERSION, SYNCMAKE_PREFIX,
# SYNCMAKE_FROM, SYNCMAKE_SHA256, SYNCMAKE_KEY. An empty one does not count. If anything is not right, nothing is
# changed, the reason is told, and the status is 1. It needs a POSIX shell, tar, gzip, sha256sum or shasum, curl or wget
# unless PLACE is a folder, and minisign if there is a key.
set -eu

releases=https://github.com/syncmake/syncmake/releases
# The key of the maintainers' releases; empty as long as there is none.
key=
# What the program needs; scripts/release fails if the program says something else.
oldest_glibc=2.35

say() { printf 'install.sh: %s\n' "$*" >&2; }
die() {
  say "error: $1"
  if [ $# -gt 1 ]; then say "hint: $2"; fi
  exit 1
}
have() { command -v "$1" > /dev/null 2>&1; }

version=${SYNCMAKE_VERSION-}
prefix=${SYNCMAKE_PREFIX-}
from=${SYNCMAKE_FROM-}
sha256=${SYNCMAKE_SHA256-}
key=${SYNCMAKE_KEY:-$key}
uninstall=false
while [ $# -gt 0 ]; do
  case $1 in
    --version=* | --prefix=* | --from=* | --sha256=* | --key=*)
      option=${1%%=*} value=${1#*=}
      shift
      set -- "$option" "$value" "$@"
      ;;
  esac
  case $1 in
    --version | --prefix | --from | --sha256 | --key)
      if [ $# -lt 2 ] || [ -z "$2" ]; then die "$1 takes a value" "install.sh --help"; fi
      case $1 in
        --version) version=$2 ;;
        --prefix) prefix=$2 ;;
        --from) from=$2 ;;
        --sha256) sha256=$2 ;;
        --key) key=$2 ;;
      esac
      shift
      ;;
    --uninstall) uninstall=true ;;
    -h | --help)
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
      exit 0
      ;;
    *) die "unknown option '$1'" "install.sh --help lists them" ;;
  esac
  shift
done
# As some tools print it.
sha256=$(printf '%s' "$sha256" | sed y/ABCDEF/abcdef/)
if [ -z "$prefix" ]; then
  if [ "$(id -u)" = 0 ]; then
    prefix=/usr/local
  else
    [ -n "${HOME-}" ] || die "HOME is not set, so there is no ~/.local" "use --prefix"
    prefix=$HOME/.local
  fi
fi
case $prefix in
  /*) ;;
  .) prefix=$PWD ;;
  *) prefix=$PWD/${prefix#./} ;;
esac
# As PATH names it.
while [ "$prefix" != / ] && [ "${prefix%/}" != "$prefix" ]; do prefix=${prefix%/}; done

# The program is the last one that is replaced.
files='share/man/man1/syncmake.1
share/syncmake/syncmake.schema.json
share/bash-completion/completions/syncmake
share/zsh/site-functions/_syncmake
share/fish/vendor_completions.d/syncmake.fish
share/doc/syncmake/LICENSE
share/doc/syncmake/README.md
share/doc/syncmake/CHANGELOG.md
bin/syncmake'
# The folders of these files, each after the one above it; the first one is the prefix.
folders=$(
  for file in $files; do
    while [ "$file" != . ]; do
      file=$(dirname "$file")
      printf '%s\n' "$file"
    done
  done | LC_ALL=C sort -u
)
# Those that an installation has made, so that removal takes no other. Those above the prefix have their whole paths.
made=share/syncmake/made-folders

# usage: remove_folders LIST: removes these folders, which are below the prefix or absolute, if they are empty.
remove_folders() {
  printf '%s\n' "$1" | sed '/^$/d' | while IFS= read -r folder; do
    case $folder in
      /*) ;;
      .) folder=$prefix ;;
      *) folder=$prefix/$folder ;;
    esac
    printf '%s\n' "$folder"
  done | LC_ALL=C sort -ru | while IFS= read -r folder; do
    rmdir "$folder" 2> /dev/null || :
  done
}

# Before anything is fetched. A folder that is missing must be possible to make.
nearest=$prefix
while [ ! -e "$nearest" ]; do nearest=$(dirname "$nearest"); done
writable() {
  [ -d "$1" ] || die "$1 is not a folder"
  [ -w "$1" ] || die "cannot write to $1" "run it as root, or use --prefix with a folder of yours"
}
writable "$nearest"
for folder in $folders; do
  if [ -e "$prefix/$folder" ]; then writable "$prefix/$folder"; fi
done
# A file that is moved to a folder would be put into it.
for file in $files; do
  [ ! -d "$prefix/$file" ] || die "$prefix/$file is a folder" "move it away, or use another --prefix"
done

if $uninstall; then
  found=false
  for file in $files "$made"; do
    if [ -e "$prefix/$file" ]; then found=true; fi
  done
  $found || die "nothing is installed in $prefix" "use the --prefix of the installation"
  for file in $files; do rm -f "$prefix/$file"; done
  list=$(cat "$prefix/$made" 2> /dev/null) || :
  rm -f "$prefix/$made"
  # An installation that has no list made these, at least.
  remove_folders "share/doc/syncmake
share/syncmake
$list"
  say "removed from $prefix"
  exit 0
fi

# --- The system -----------------------------------------------------------------------------------------------------

system=$(uname -s)
machine=$(uname -m)
case $machine in
  amd64) machine=x86_64 ;;
  arm64) machine=aarch64 ;;
esac
case $system-$machine in
  Linux-x86_64 | Linux-aarch64) target=$machine-unknown-linux-gnu ;;
  *)
    die "there is no release for $system on $machine" \
      "there are releases for Linux (x86_64, aarch64); docs/install.md says how to build it"
    ;;
esac

# usage: is_older A B: whether version A of glibc, such as 2.31, comes before B.
is_older() {
  [ "${1%%.*}" -lt "${2%%.*}" ] || { [ "${1%%.*}" -eq "${2%%.*}" ] && [ "${1#*.}" -lt "${2#*.}" ]; }
}

glibc=$( (getconf GNU_LIBC_VERSION || ldd --version | head -n 1) 2> /dev/null \
  | sed -n 's/^.*[^0-9.]\([0-9][0-9]*\.[0-9][0-9]*\)[0-9.]*$/\1/p' | head -n 1) || :
if [ -z "$glibc" ]; then
  die "this system has no GNU C library (glibc), which the program needs" \
    "on Alpine and others with musl use a container with glibc; docs/install.md says how to build it"
fi
if is_older "$glibc" "$oldest_glibc"; then
  die "this system has glibc $glibc, but the program needs $oldest_glibc or later" \
    "Debian 12, Ubuntu 22.04, Fedora 36 or later have it; docs/install.md says how to build it for an older system"
fi

# --- The files of the release ----------------------------------------------------------------------------------------

if [ -n "$version" ]; then
  version=${version#v}
  case $version in
    *[!0-9A-Za-z.+-]*) die "'$version' is not a version" "a version is such as 0.1.0" ;;
  esac
fi
if [ -z "$from" ]; then
  if [ -n "$version" ]; then from=$releases/download/v$version; else from=$releases/latest/download; fi
fi
from=${from%/}

umask 022
work=
staged=
new_folders=
clean_up() {
  if [ -n "$work" ]; then rm -rf "$work"; fi
  for file in $staged; do rm -f "$prefix/$file.new.$$"; done
  remove_folders "$new_folders"
}
trap clean_up EXIT
trap 'say "error: ended by a signal; nothing has changed"; exit 1' HUP INT TERM
work=$(mktemp -d "${TMPDIR:-/tmp}/syncmake-install.XXXXXX") || die "cannot make a folder in ${TMPDIR:-/tmp}"

# usage: fetch NAME: puts the file NAME of the release into $work, complete or not at all. A server that sends nothing for
# a minute is given up (by wget after its tries), and curl follows no redirect from https to http.
fetch() {
  case $from in
    http://* | https://*)
      if have curl; then
        curl --fail --silent --show-error --location --proto-redir "=${from%%:*},https" --retry 3 \
          --connect-timeout 30 --speed-limit 1 --speed-time 60 --output "$work/$1.part" "$from/$1"
      elif have wget; then
        wget -q -T 60 -O "$work/$1.part" "$from/$1"
      else
        die "there is neither curl nor wget" "install one of them, or fetch the files by hand and use --from FOLDER"
      fi
      ;;
    *) cp "${from#file://}/$1" "$work/$1.part" ;;
  esac || die "cannot fetch $1 from $from"
  mv "$work/$1.part" "$work/$1"
}

if [ -z "$sha256" ] || [ -z "$version" ] || [ -n "$key" ]; then
  fetch SHA256SUMS
fi
if [ -n "$key" ]; then
  have minisign || die "there is no minisign to check the release's signature with" "install minisign"
  fetch SHA256SUMS.minisig
  minisign -V -q -P "$key" -m "$work/SHA256SUMS" -x "$work/SHA256SUMS.minisig" > "$work/told" 2>&1 \
    || die "SHA256SUMS from $from is not signed with the key $key: $(cat "$work/told")" "do not use this release"
fi

if [ -n "$version" ]; then
  archive=syncmake-$version-$target.tar.gz
else
  archive=$(sed -n "s/^[0-9a-f]\{64\}  \(syncmake-[0-9A-Za-z.+-]*-$target\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS")
  case $archive in
    '') die "the release at $from has no archive for $target" ;;
    *'
'*) die "the release at $from has several archives for $target" "choose one with --version" ;;
  esac
fi
if [ -e "$work/SHA256SUMS" ]; then
  published=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" "$work/SHA256SUMS")
  [ -n "$published" ] || die "SHA256SUMS from $from has no line for $archive"
  if [ -n "$sha256" ] && [ "$sha256" != "$published" ]; then
    die "$archive is published with the sha256 $published, not with $sha256"
  fi
  sha256=$published
fi

fetch "$archive"
if have sha256sum; then
  actual=$(sha256sum < "$work/$archive")
elif have shasum; then
  actual=$(shasum -a 256 < "$work/$archive")
else
  die "there is neither sha256sum nor shasum to check the archive with"
fi
actual=${actual%% *}
[ "$actual" = "$sha256" ] \
  || die "$archive has the sha256 $actual, not $sha256: it is damaged, cut off or not the published one"

# --- Everything is here: install it ----------------------------------------------------------------------------------

gzip -dc "$work/$archive" > "$work/archive.tar" || die "$archive cannot be unpacked"
(cd "$work" && tar -xf archive.tar) || die "$archive cannot be unpacked"
tree=$work/${archive%.tar.gz}
for file in $files; do
  [ -f "$tree/$file" ] || die "$archive lacks $file"
done
# mkdir makes those above the prefix, too.
above=$(dirname "$prefix")
while [ ! -e "$above" ]; do
  new_folders="$new_folders$above
"
  above=$(dirname "$above")
done
for folder in $folders; do
  if [ ! -d "$prefix/$folder" ]; then
    new_folders="$new_folders$folder
"
    mkdir -p "$prefix/$folder" || die "cannot make $prefix/$folder"
  fi
done
for file in $files; do
  staged="$staged $file"
  cp "$tree/$file" "$prefix/$file.new.$$" || die "cannot write to $(dirname "$prefix/$file")"
done
chmod 755 "$prefix/bin/syncmake.new.$$"
# On this system, before it replaces one that runs, and in its place: in a temporary folder programs may be forbidden.
told=$("$prefix/bin/syncmake.new.$$" --version 2>&1) || die "the program does not run here: $told"
if [ -n "$new_folders" ]; then
  staged="$staged $made"
  { cat "$prefix/$made" 2> /dev/null || :; printf '%s' "$new_folders"; } > "$prefix/$made.new.$$" \
    || die "cannot write to $prefix/share/syncmake"
  files="$made
$files"
fi
# usage: take_back FILE: FILE cannot be replaced; puts it and those before it back as they were.
replaced=
take_back() {
  for file in $replaced; do
    if [ -e "$prefix/$file.old.$$" ]; then
      mv -f "$prefix/$file.old.$$" "$prefix/$file"
    else
      rm -f "$prefix/$file"
    fi
  done
  rm -f "$prefix/$1.old.$$"
  die "cannot replace $prefix/$1; everything is as it was"
}

# A signal would leave files of two versions.
trap '' HUP INT TERM
for file in $files; do
  # The program is the last one. No file is missing meanwhile.
  if [ "$file" != bin/syncmake ] && [ -e "$prefix/$file" ]; then
    cp -p "$prefix/$file" "$prefix/$file.old.$$" || take_back "$file"
  fi
  mv -f "$prefix/$file.new.$$" "$prefix/$file" || take_back "$file"
  replaced="$replaced $file"
done
for file in $replaced; do rm -f "$prefix/$file.old.$$"; done
new_folders=
staged=

say "installed $told as $prefix/bin/syncmake"
case :${PATH-}: in
  *:"$prefix/bin":*) ;;
  *) say "note: $prefix/bin is not in PATH" ;;
esac
for library in /lib*/libcurl*.so.4 /usr/lib*/libcurl*.so.4 /lib/*/libcurl*.so.4 /usr/lib/*/libcurl*.so.4 \
  /usr/local/lib*/libcurl*.so.4; do
  if [ -e "$library" ]; then exit 0; fi
done
say "note: requests need libcurl: install libcurl4 (Debian, Ubuntu) or libcurl (Fedora)"
