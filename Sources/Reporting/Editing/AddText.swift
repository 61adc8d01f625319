package import Planning
package import SyncModel

/// The texts of `add`.
package enum AddText {
  /// The result, the reason, and the next step.
  ///
  /// `text` has the manifest's new lines, and `headers` are those with a secret in them; `advice` is `nil` if no request was
  /// sent; `list` is what the source is, of which `isList` tells whether the target is made of its entries; `hasLock` tells
  /// whether there is a lock file, which lacks the target; `place` is a ``ShellText`` of the options that name the manifest;
  /// `isCommand` tells whether the name is that of a command, too.
  package static func done(
    _ name: TargetName, in manifest: String, text: String,
    headers: [(name: String, value: String)] = [], advice: ProbeAdvice?,
    list: ListFinding? = nil, isList: Bool = false, hasLock: Bool, place: String = "",
    isCommand: Bool = false, style: TextStyle, secrets: SecretMask
  ) -> String {
    let place = CleanText.clean(secrets.mask(place))
    let name = secrets.shown(name)
    var page = "added \(name) to \(secrets.shown(manifest)):\n\n"
    page += lines(text, headers) + "\n"
    if let advice { page += ProbeText.advice(advice, style: style, secrets: secrets) }
    if let list {
      page += ProbeText.list(list, isList ? "" : ": `syncmake add --list` makes a target of each", style)
    }
    page +=
      isList
      ? "next: `syncmake plan\(place)` shows what it names"
      : "next: `syncmake\(isCommand ? " run" : "")\(place) \(name)` downloads it"
    if hasLock { page += ", `syncmake lock\(place)` locks \(isList ? "that" : "it")" }
    return page + "\n"
  }

  /// The lines to be written, harmless on a terminal, without what signs a URL, and with `mask` in place of the values of
  /// `headers`, which are secrets.
  package static func lines(
    _ text: String, _ headers: [(name: String, value: String)], mask: String = "***"
  ) -> String {
    var text = text
    for (name, value) in headers {
      // Only in its own place: a short value is in other texts, too.
      for before in [" ", "{"] {
        for written in [YAMLText.quoted(value), value] {
          text = text.with("\(before)\(name): \(mask)", for: "\(before)\(name): \(written)")
        }
      }
    }
    return SignatureMask.mask(text).split(separator: "\n")
      .map { CleanText.clean(String($0)) + "\n" }.joined()
  }

  /// A warning that `headers` have secrets that are written out, and advice; `nil` if there are none.
  package static func literal(_ headers: [(name: String, value: String)]) -> (String, String?)? {
    let names = headers.map { $0.name }
    guard !names.isEmpty else { return nil }
    return (
      "the manifest gets the value of \(names.joined(separator: " and ")), which everybody who reads it can use",
      "write ${secret:NAME} in its place"
    )
  }

  /// A warning that a URL in the lines has a signature, and advice; `nil` if none has.
  package static func signed(_ text: String) -> (String, String?)? {
    guard SignatureMask.mask(text) != text else { return nil }
    return (
      "this URL has a signature, which everybody who reads the manifest can use, and which usually expires",
      "use a URL without it, or write ${secret:NAME} in its place"
    )
  }

  /// A warning that runs will fail, and advice; `nil` if they will not.
  package static func doubt(_ advice: ProbeAdvice, target: Target, secrets: SecretMask) -> (String, String?)?
  {
    if let obstacle = advice.obstacle {
      return (
        "a run will fail: \(FailureText.message(obstacle, secrets: secrets))",
        FailureText.hint(TargetFailure(obstacle), target: target, secrets: secrets)
      )
    }
    // The end of compressed bytes proves it.
    guard advice.needsUnprovenLength, !target.steps.contains(where: \.transforms),
      target.unprovenLength == .refuse
    else {
      return nil
    }
    return (
      "a run will fail: nothing proves that a download from this server is complete",
      "`unproven_length: accept` in the target accepts it anyway; a digest would prove it"
    )
  }

  /// That the source cannot be had, and nothing was written.
  package static func unreachable(_ report: ProbeReport, style: TextStyle, secrets: SecretMask) -> String? {
    guard case .unreachable(let cause) = report.subject else { return nil }
    let hint = FailureText.hint(TargetFailure(cause), target: nil, secrets: secrets).map { $0 + "; " } ?? ""
    return MessageText.error(
      "nothing was written: \(FailureText.message(cause, secrets: secrets))",
      hint: hint + "--offline writes the target without asking the server", style: style, secrets: secrets)
  }

  /// That the name is taken.
  package static func nameTaken(_ name: String, in manifest: String, line: Int, style: TextStyle) -> String {
    MessageText.error(
      "\(manifest):\(line): a target or a group named \"\(name)\" already exists",
      hint: "choose another name with --name", style: style)
  }

  /// What was to be read as a list is none.
  package static func noList(style: TextStyle) -> String {
    MessageText.error(
      "nothing was written: this is no list that `add` recognises",
      hint: "a `list` in the manifest can also say where the rows of JSON or of a table are", style: style)
  }

  /// The URL gives no name, or one that is too long for a key.
  package static func nameless(mayBeList: Bool, style: TextStyle) -> String {
    MessageText.error(
      "cannot derive a name for the target from this URL",
      hint: "choose a short name with --name"
        + (mayBeList ? ", or use --list for a target of each file that the page lists" : ""), style: style)
  }

  /// That what is not known yet is a part of the target `name`, or of a list.
  package static func waits(_ name: String, isList: Bool, style: TextStyle) -> String {
    let what = isList ? "the list" : CleanText.clean(name)
    return MessageText.error(
      "\(what) uses a value that only a run knows, so `add` cannot look at the source",
      hint: isList ? "add a target with `list` by hand" : "--offline writes the target without looking",
      style: style)
  }

  /// That a secret's value would be written.
  package static func holdsSecret(style: TextStyle) -> String {
    MessageText.error(
      "this would write the value of a secret into the manifest", hint: "write ${secret:NAME} instead",
      style: style)
  }

  /// That the lines cannot be put in because of how `targets` is written, with the lines; `text` is empty if they are not
  /// known; `headers` are those with a secret in them.
  package static func cannotInsert(
    _ manifest: String, _ form: TargetsForm, line: Int, text: String,
    headers: [(name: String, value: String)] = [], style: TextStyle
  ) -> String {
    let what =
      switch form {
      case .braces: "the targets are written in braces"
      case .alias: "the targets are an alias"
      case .other: "the targets are written in a form that `add` cannot extend"
      }
    let hint =
      if text.isEmpty {
        "add a target with `list` by hand"
      } else if form == .braces {
        "add this entry by hand, between the braces of `targets`"
      } else {
        "add these lines by hand"
      }
    return MessageText.error(
      "\(manifest):\(line): \(what), so `add` cannot insert lines",
      hint: hint
        + (headers.isEmpty || text.isEmpty ? "" : ", with the name of a variable that has the secret"),
      style: style)
      + lines(text, headers, mask: "\"${secret:NAME}\"")
  }

  /// There is no place for the lines.
  package static func cannotInsert(_ manifest: String, style: TextStyle) -> String {
    MessageText.error(
      "\(manifest): cannot insert the target without changing something else",
      hint: "add the target by hand", style: style)
  }
}
