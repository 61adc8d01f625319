import SyncModel

/// An address as read.
struct ReadURL {
  var url: SourceURL
  /// Whether a `${secret:}` went into it.
  var isSecret: Bool
  var place: NodeID
}

extension ManifestReader {
  private var urlForm: String { "a URL, or a list of mirrors" }

  /// One URL or a list of mirrors; `nil` after an error.
  func urls(_ id: NodeID, _ scope: Scope) -> (first: ReadURL, mirrors: ArraySlice<ReadURL>)? {
    guard document[id].kind == .sequence else { return sourceURL(id, "url", scope, urlForm).map { ($0, []) } }
    let items = document.children(of: id)
    guard !items.isEmpty else {
      error("\"url\" is an empty list, expected \(urlForm)", at: id)
      return nil
    }
    let urls = items.compactMap { sourceURL($0, "url", scope) }
    return urls.count == items.count ? (urls[0], urls.dropFirst()) : nil
  }

  /// One address; `nil` after an error, which says that `form` is expected.
  func sourceURL(_ id: NodeID, _ key: String, _ scope: Scope, _ form: String = "a URL") -> ReadURL? {
    let before = variables.usedValues.count
    guard let expanded = expanded(id, Want(key, form), scope, orStandIn: true) else { return nil }
    guard areKnown(since: before) else {
      checkBeginning(of: expanded.text, at: id, Want(key, form))
      return nil
    }
    // Such a text is the address as it stands, and nothing below refuses or changes it.
    if SourceURLText.isPlainWeb(expanded.text) {
      return ReadURL(url: .web(expanded.text), isSecret: expanded.isSecret, place: id)
    }
    do throws(SourceURLFault) {
      let url = try SourceURLText.parseCarefully(expanded.text)
      guard variables.usedValues.count == before || isWeb(url) else { return nil }
      if case .file = url { namesFiles = true }
      // Cut in two, a secret would be neither sent whole nor masked.
      guard url.text == expanded.text || variables.secretsAreWhole(url.text, of: expanded.text) else {
        error(
          "a secret contains \"#\", which ends a URL", at: id,
          hint: "percent-encode the secret's value: %23 for #")
        return nil
      }
      return ReadURL(url: home.rooted(url), isSecret: expanded.isSecret, place: id)
    } catch {
      report(error, expanded.text, at: id, Want(key, form))
      return nil
    }
  }

  /// Reports what is wrong with a URL whatever a value in it is.
  private func checkBeginning(of text: String, at id: NodeID, _ want: Want) {
    let beginning = text.prefix { $0 != "$" }
    do throws(SourceURLFault) { try SourceURLText.checkBeginning(String(beginning)) } catch {
      report(error, text, at: id, want)
    }
  }

  private func report(_ fault: SourceURLFault, _ text: String, at id: NodeID, _ want: Want) {
    switch fault {
    case .empty: unwanted(text, at: id, want)
    case .whitespace: error("a space in the URL \(quoted(text))", at: id, hint: "write %20 for a space")
    case .control(let value): error("control character \(Quoting.codePoint(value)) in \(want.shown)", at: id)
    case .unknownScheme(let scheme):
      error(
        "unknown URL scheme \(quoted(scheme))", at: id,
        // A port follows a host's name.
        hint: text.utf8.dropFirst(scheme.utf8.count + 1).first.map { (0x30...0x39).contains($0) } == true
          ? "write https:// or http:// before the host's name"
          : "use https, http, file, or a path relative to the manifest's folder")
    case .credentials(let password):
      if let password { variables.hide(password) }
      error(
        "a URL cannot contain a user's name or a password", at: id,
        hint: "use \"auth\": {basic: {user: …, password: \"${secret:NAME}\"}}")
    case .notWeb:
      error("\(quoted(text)) is not a URL", at: id, hint: "write https://HOST/PATH; a port is 1 to 65535")
    case .notWebWithValue:
      error(
        "\(quoted(text)) has the value of an output in it, and is not a URL of http or https", at: id,
        hint: "write https://HOST/PATH")
    case .notFileURL:
      error("\(quoted(text)) is not a file's URL", at: id, hint: "write file:///ABSOLUTE/PATH")
    case .absolutePath:
      error(
        "\(quoted(text)) is not relative to the manifest's folder", at: id,
        // A link that was copied from a page may lack its scheme.
        hint: text.utf8.starts(with: "//".utf8) && !text.utf8.starts(with: "///".utf8)
          ? "write \(quoted("https:" + text)) for a URL"
          : "write \(quoted("file://" + text)) for a file elsewhere")
    case .folder: error("\(quoted(text)) is a folder's name, not a file's", at: id)
    case .home:
      let isOwn = text == "~" || text.utf8.starts(with: "~/".utf8)
      let path = isOwn ? "${env:HOME}" + text.dropFirst() : "/ABSOLUTE/PATH"
      error(
        "\(quoted(text)) begins with \"~\", which syncmake does not expand", at: id,
        hint: "write \(quoted("file://" + path)), or \(quoted("./" + text)) for a folder of that name")
    }
  }

  /// A path that may be an output; `nil` after an error, or if a value in it is not known yet.
  ///
  /// `product`: what `unpack` makes; `nil` without that step. `isUnknown`: the steps have an error, and may make a folder.
  func output(
    _ id: NodeID, _ scope: Scope, _ product: UnpackRules.Product?, isUnknown: Bool
  ) -> RelativePath? {
    let want = Want("output", "a path such as data/genes.tsv")
    let before = variables.usedValues.count
    let own = scope.entry == nil ? scope : scope.used(in: .output)
    let expanded = self.expanded(id, want, own, orStandIn: true)
    guard let text = expanded.flatMap({ name($0, at: id, want) }),
      variables.usedValues.count == before || areSafe(variables.usedValues[before...])
    else { return nil }
    guard hasNoControl(text, at: id, want) else { return nil }
    guard !SourceURLText.isInHome(text) else {
      error(
        "output \(quoted(text)) begins with \"~\", which syncmake does not expand", at: id,
        hint:
          "an output must be inside the manifest's folder; write \(quoted("./" + text)) for a folder of that name"
      )
      return nil
    }
    do throws(RelativePath.Fault) {
      let isFolder = if case .folder? = product { true } else { false }
      guard let path = try isFolder ? folder(text, at: id) : home.rooted(text) else { return nil }
      guard areKnown(since: before) else {
        // A value is one component, so that no value leads to another folder. How long it is, nobody knows.
        _ = isFree(path, in: span(id))
        return nil
      }
      return isFolder ? usable(path, in: span(id)) : usableFile(path, in: span(id))
    } catch {
      if isUnknown, error == .endsInSlash { return nil }
      if case .file? = product, error == .endsInSlash {
        self.error(
          "output \(quoted(text)) is a folder's name, but \"unpack\" with \"entry\" makes one file", at: id,
          hint: "add a file's name, or remove \"entry\" to unpack the whole archive")
      } else {
        report(error, text, at: id, want)
      }
      return nil
    }
  }

  /// A folder's path, which has a slash at its end.
  private func folder(_ text: String, at id: NodeID) throws(RelativePath.Fault) -> RelativePath? {
    guard text.utf8.last == UInt8(ascii: "/") else {
      let path = try home.rooted(text)
      error(
        "output \(quoted(path.text)) is a file's name, but \"unpack\" without \"entry\" makes a folder",
        at: id,
        hint: "add a slash at its end, or choose one file of the archive by \"entry\"")
      return nil
    }
    let end = text.utf8.lastIndex { $0 != UInt8(ascii: "/") }
    guard let end else { throw .absolute }
    return try home.rooted(String(Substring(text.utf8[...end])))
  }

  private func report(_ fault: RelativePath.Fault, _ text: String, at id: NodeID, _ want: Want) {
    let inside = "an output must be inside \(home.boundary)"
    switch fault {
    case .empty, .hasNUL: unwanted(text, at: id, want)
    case .absolute: error("output \(quoted(text)) is an absolute path", at: id, hint: inside)
    case .leavesRoot: error("output \(quoted(text)) is outside \(home.boundary)", at: id, hint: inside)
    case .endsInSlash:
      error(
        "output \(quoted(text)) is a folder's name", at: id,
        hint: "add a file's name; only the step \"unpack\" makes a folder")
    }
  }

  /// The default `output` of a target; `nil` after an error.
  func defaultOutput(_ source: ReadURL, steps: [Step], place: NodeID) -> RelativePath? {
    guard namesItself(steps, at: place) else { return nil }
    let name =
      switch source.url {
      case .web(let url): WebURL.lastPathPart(of: url)
      case .file(let path, _): path.split(separator: "/").last.map(String.init)
      }
    guard let name, !(source.isSecret && endsInSecret(source.url)), Quoting.firstControl(name) == nil,
      // The name alone must stay in the folder.
      let own = try? RelativePath(OutputName.unpacked(name, steps)), let output = try? home.rooted(own.text)
    else {
      error(
        "cannot derive the output's name from this URL", at: place, hint: "set \"output\"")
      return nil
    }
    return usableFile(output, in: span(place))
  }

  /// Whether the source's name can give the output its name.
  func namesItself(_ steps: [Step], at place: NodeID) -> Bool {
    guard steps.contains(where: \.isUnpack) else { return true }
    error(
      "\"unpack\" needs an \"output\": the name of an archive does not say that of its file", at: place,
      hint: "set \"output\"")
    return false
  }

  /// Whether a secret, or its rest after a slash, is in the part that would name the output.
  ///
  /// Checked before escapes are decoded, since afterwards no mask finds it.
  private func endsInSecret(_ url: SourceURL) -> Bool {
    func lastPart(_ text: String) -> Substring.UTF8View? {
      var path = text.utf8[...]
      if case .web = url { path = path.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") } }
      return path.split(separator: UInt8(ascii: "/")).last
    }
    guard let shown = lastPart(variables.mask.mask(url.text)), let own = lastPart(url.text) else {
      return true
    }
    return !shown.elementsEqual(own)
  }

  /// A target that overwrites its source would lose it.
  func refuseOwnOutput(_ source: ReadURL, _ read: ReadTarget) {
    guard case .file(let path, _) = source.url, let output = read.output,
      (try? RelativePath(path)) == output
    else { return }
    error(
      "the source \(quoted(path)) is also the output", at: source.place, hint: "set another \"output\"")
  }

  /// The path of a file, if it is ``usable(_:in:)`` and the file would not become an included manifest.
  func usableFile(_ path: RelativePath, in span: @autoclosure () -> SourceSpan) -> RelativePath? {
    guard let path = usable(path, in: span()) else { return nil }
    guard let pattern = reserved.pattern(matching: path) else { return path }
    log.error(
      "output \(quoted(path.text)) is where \(quoted(pattern)) of \"include\" finds manifests", at: span(),
      hint: "set another \"output\", or a pattern that does not match it")
    return nil
  }

  /// `path`, unless it is too long for a file system, or git or syncmake itself needs the place.
  func usable(_ path: RelativePath, in span: @autoclosure () -> SourceSpan) -> RelativePath? {
    if let fault = OutputName.lengthFault(path) {
      reportLength(fault, path, at: span())
      return nil
    }
    return isFree(path, in: span()) ? path : nil
  }

  /// Whether neither git nor syncmake itself needs the place; reports it.
  private func isFree(_ path: RelativePath, in span: @autoclosure () -> SourceSpan) -> Bool {
    guard let reserved = reserved.conflict(with: path) else { return true }
    guard !tables.contains(where: { $0.path.text == reserved }) else {
      log.error(
        "output \(quoted(path.text)) is where \(quoted(reserved)) is, whose rows are targets", at: span())
      return false
    }
    let user = reserved == ".git" ? "git" : "syncmake itself"
    log.error(
      "output \(quoted(path.text)) conflicts with \(quoted(reserved)), which \(user) uses", at: span())
    return false
  }

  private func reportLength(_ fault: OutputName.LengthFault, _ path: RelativePath, at span: SourceSpan) {
    switch fault {
    case .part(let name, let count):
      log.error(
        "the name \(quoted(name)) in the output has \(count) bytes; file systems take at most \(OutputName.longestPart)",
        at: span, hint: "set a shorter \"output\"")
    case .path(let count):
      log.error(
        "the output's path has \(count) bytes; the system takes at most \(OutputName.longestPath)", at: span,
        hint: "set a shorter \"output\"")
    }
  }
}
