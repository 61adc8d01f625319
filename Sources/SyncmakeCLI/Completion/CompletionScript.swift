import ArgumentParser

/// The shells that completions are made for.
enum CompletionShellName: String, ExpressibleByArgument, CaseIterable {
  case bash, zsh, fish
}

/// The script for a shell: it calls the program and uses its answer (``CompletionAnswer``).
///
/// Commands, options and names are not in it, so it stays valid when they change.
enum CompletionScript {
  /// More candidates than these are shown as their beginnings.
  private static let limit = 500

  static func text(_ shell: CompletionShellName) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  // Also for bash 3.2, which macOS has: without compopt and mapfile.
  private static let bash = #"""
    # Completes syncmake in bash. Made by: syncmake completions bash
    # Reads a word as bash does. Its caller gets its text, the quote that is open at its end, and how the text begins before
    # the part that the line editor replaces.
    _syncmake_read() {
      local rest=$1 character opened=''
      text='' quote='' cut=''
      while [[ -n $rest ]]; do
        character=${rest:0:1}
        rest=${rest:1}
        case $quote$character in
          [\"\']) quote=$character opened=$text ;;
          \"\" | \'\') quote='' ;;
          \\ | \"\\)
            if [[ -z $quote || -z $rest || $rest == [\"\\\$\`]* ]]; then character=${rest:0:1} rest=${rest:1}; fi
            text+=$character
            ;;
          *)
            text+=$character
            # The editor replaces what follows such a sign, and @ itself.
            if [[ -z $quote && $COMP_WORDBREAKS == *"$character"* ]]; then cut=${text%@}; fi
            ;;
        esac
      done
      if [[ -n $quote ]]; then cut=$opened; fi
    }
    # The editor puts in `line` as it is, and the shell reads it later: what is special there needs a backslash.
    _syncmake_quote() {
      case $quote in
        '') printf -v line %q "$line" ;;
        \') line=${line//\'/\'\\\'\'} ;;
        *)
          line=${line//\\/\\\\}
          line=${line//\"/\\\"}
          line=${line//\$/\\\$}
          line=${line//\`/\\\`}
          # Within the quotes a backslash before this sign would stay.
          line=${line//\!/\"\\\!\"}
          ;;
      esac
      # The editor closes the quote, unless the last sign is one.
      if [[ -n $quote && $line == *"$quote" ]]; then line+=$quote; fi
    }
    _syncmake() {
      COMPREPLY=()
      # bash takes words apart at = and :, and the program wants them as they were written: pieces without a blank between.
      local words=() word blank index rest=${COMP_LINE:0:COMP_POINT}
      rest=${rest#"${COMP_WORDS[0]}"}
      for ((index = 1; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        blank=${rest%%[![:space:]]*}
        rest=${rest#"$blank"}
        if ((index == COMP_CWORD)); then word=$rest; fi
        rest=${rest#"$word"}
        if [[ -z $blank && ${#words[@]} -gt 0 ]]; then
          words[${#words[@]} - 1]+=$word
        else
          words+=("$word")
        fi
      done
      local count=$((${#words[@]} - 1)) text quote cut program=$1
      for ((index = 0; index < count; index++)); do
        _syncmake_read "${words[index]}"
        words[index]=$text
        [[ $text != '~/'* ]] || words[index]=$HOME/${text:2}
      done
      [[ $program != '~/'* ]] || program=$HOME/${program:2}
      # In $'…' a backslash has another meaning.
      [[ ${words[count]} != *\$[\"\']* ]] || return 0
      _syncmake_read "${words[count]}"

      local line kind='' prefix='' unfinished=false
      while IFS= read -r line; do
        case $line in
          :beginnings) unfinished=true ;;
          ':files '*) kind=-f prefix=${line#:files } ;;
          ':folders '*) kind=-d prefix=${line#:folders } ;;
          *)
            line=${line%%$'\t'*}
            line=${line#"$cut"}
            _syncmake_quote
            COMPREPLY+=("$line")
            ;;
        esac
      done < <("$program" __complete LIMIT "$text" "${words[@]:0:count}" 2> /dev/null)
      if [[ -n $kind ]]; then
        # The editor knows files, and puts in what they need, if it replaces a whole path. bash 3.2 cannot be told so.
        local known=false
        if [[ $cut == "$prefix" ]] && compopt -o filenames 2> /dev/null; then known=true; fi
        while IFS= read -r line; do
          if ! $known && [[ -d $line ]]; then line+=/ unfinished=true; fi
          line=$prefix$line
          line=${line#"$cut"}
          $known || _syncmake_quote
          COMPREPLY+=("$line")
        done < <(compgen "$kind" -- "${text#"$prefix"}")
      fi
      if $unfinished; then compopt -o nospace 2> /dev/null; fi
      return 0
    }
    complete -F _syncmake syncmake

    """#.with("\(limit)", for: "LIMIT")

  private static let zsh = #"""
    #compdef syncmake
    # Completes syncmake in zsh. Made by: syncmake completions zsh
    _syncmake() {
      local program=${${(Q)words[1]}/#\~\//$HOME/} line kind prefix cut='' current=${(Q)PREFIX}
      local -a before answer candidates space
      before=("${(@)${(@Q)words[2,CURRENT-1]}/#\~\//$HOME/}")
      (( CURRENT > 2 )) || before=()
      # An open quote is no part of the value.
      [[ $current != $PREFIX ]] || current=${PREFIX//[\"\']/}
      answer=("${(@f)$("$program" __complete LIMIT "$current" "${before[@]}" 2> /dev/null)}")
      # A value behind a sign is completed alone: zsh knows what to do with a quote where a word begins.
      if [[ $PREFIX == --*=* ]]; then
        cut=${PREFIX%%=*}=
        compset -P '--[^=]#='
      fi
      for line in "${answer[@]}"; do
        case $line in
          ('') ;;
          (:beginnings) space=(-S '') ;;
          (':files '*) kind=files prefix=${line#:files } ;;
          (':folders '*) kind=folders prefix=${line#:folders } ;;
          (*$'\t'*) candidates+=("${${${${line%%$'\t'*}#"$cut"}//\\/\\\\}//:/\\:}:${line#*$'\t'}") ;;
          (*) candidates+=("${${${line#"$cut"}//\\/\\\\}//:/\\:}") ;;
        esac
      done
      local found=1
      if (( ${#candidates} )); then
        _describe -V 'syncmake' candidates "${space[@]}" && found=0
      fi
      if [[ -n $kind ]]; then
        [[ -z $prefix || -n $cut ]] || compset -P "${(b)prefix}"
        if [[ $kind == folders ]]; then _files -/ && found=0; else _files && found=0; fi
      fi
      return found
    }
    if [[ ${funcstack[1]-} == _syncmake ]]; then _syncmake "$@"; else compdef _syncmake syncmake; fi

    """#.with("\(limit)", for: "LIMIT")

  // fish is quick with any number of words, and puts a space after each: no beginnings.
  private static let fish = #"""
    # Completes syncmake in fish. Made by: syncmake completions fish
    function __syncmake_complete
        set -l words (commandline -opc)
        # An open quote is no part of the value, and a backslash only says that what follows is.
        set -l current (commandline -ct | string replace -ra '["\']' '' | string replace -ra '\\\\(.)' '$1')
        set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
        set -e words[1]
        set -l answer ($program __complete 0 "$current" (string replace -r '^~/' "$HOME/" -- $words) 2>/dev/null)
        if string match -qr '^:(files|folders) ' -- "$answer[1]"
            set -l prefix (string replace -r '^:[a-z]+ ' '' -- $answer[1])
            set -l value (string sub -s (math 1 + (string length -- "$prefix")) -- "$current")
            set -l paths (__fish_complete_path "$value" | string replace -r '\t.*' '')
            if string match -q ':folders *' -- $answer[1]
                set paths (string match '*/' -- $paths)
            end
            set -e answer[1]
            test (count $paths) -eq 0; or printf '%s\n' $prefix$paths
        end
        test (count $answer) -eq 0; or printf '%s\n' $answer
    end
    complete -c syncmake -f -a '(__syncmake_complete)'

    """#
}
