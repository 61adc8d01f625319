import SyncModel

/// What is wrong with a list, and advice; foreign texts unchanged.
struct ListWording {
  var mask: (String) -> String

  /// The whole message; `source` is the list's address, or the lock that has its entries.
  func message(_ problem: ListProblem, of source: String) -> String {
    let subject = source == LockFile.fileName ? "an entry of \(source)" : "the list \(mask(source))"
    // A list that only lacks what others need can be used.
    let fault = if case .expansion(.noSuchEntry) = problem { "" } else { "cannot be used: " }
    return "\(subject) \(fault)\(text(problem))"
  }

  /// The text after the list's address, and after "cannot be used:" if it says so.
  func text(_ problem: ListProblem) -> String {
    switch problem {
    case .list(let fault): text(fault)
    case .expansion(let fault): text(fault)
    case .suspect(let gone, let recorded):
      "\(gone) of its \(recorded) recorded entries have left it, with no other version in their place"
    }
  }

  /// The next step; `command` names a command for the manifest.
  static func hint(_ problem: ListProblem, _ command: (String) -> String) -> String? {
    switch problem {
    case .suspect: "if that is right, run again with --allow-removals"
    case .list(let fault): hint(fault)
    case .expansion(let fault): hint(fault, command)
    }
  }

  private func text(_ fault: ListFault) -> String {
    let text = text(fault.reason)
    if let line = fault.line { return "line \(line): \(text)" }
    return fault.entry.map { "entry \($0): \(text)" } ?? text
  }

  private func text(_ reason: ListFault.Reason) -> String {
    switch reason {
    case .malformed(let text): "it is damaged or cut off: \(mask(text))"
    case .otherFormat(let found): "it is \(mask(found))"
    case .hasDoctype: "it is XML with a DOCTYPE, which syncmake does not read"
    case .empty: "it has no entry"
    case .tooManyEntries: "it has more than \(ListLimits.entries) entries"
    case .tooManyPages: "it has more than \(ListLimits.pages) pages"
    case .tooLarge: "it is larger than \(Quantity.size(ListLimits.bytes))"
    case .repeatedPage(let url): "a page names \(mask(url)) as the next one, which was read before"
    case .badPage(let url): "\(quoted(url)) cannot be the URL of its next page"
    case .pageHasCredentials: "the URL of its next page has a user's name or a password"
    case .badLinkField: "the reply's header field `Link`, which may name the next page, cannot be read"
    case .unaskedPages(let member):
      "its member \(quoted(member)) says that there are further pages, and not at which URL"
    case .lacks(let what): "\(what) is missing"
    case .noDigest(let place): "no row has a digest at \(quoted(place)) that can be compared"
    case .notCompared(let algorithm, let name):
      "\(quoted(name)) has only a digest that is not compared: \(mask(algorithm))"
    case .noColumn(let name, let others):
      "the column \(quoted(name)) is missing; there are "
        + others.prefix(10).map(quoted).row(of: others.count)
    case .repeatedKey(let key):
      "two entries have the key \(quoted(key)), and nothing says which is the later one"
    case .badURL(let url): "\(quoted(url)) cannot be the URL of an entry"
    case .noRows(let pointer): "there is no array at \(quoted(pointer))"
    case .badField(let name, let value): "\(quoted(value)) cannot be the \(name) of an entry"
    case .noLibrary: "the library libexpat.so.1 is needed to read XML, and cannot be loaded"
    }
  }

  private func text(_ fault: ListExpansionFault) -> String {
    switch fault {
    case .notOne(let count): "\(count) of its entries are selected, and the target takes exactly one"
    case .tooMany(let count): "its \(count) entries make more than a million targets"
    case .repeatsTooMuch(let count):
      "with its \(count) entries, the manifest repeats more than 32 million keys and values"
    case .sameName(let name, let keys, let versions):
      "the entries \(pair(keys, versions)) make two targets called \(quoted(name))"
    case .nameTaken(let name, let key):
      "the entry \(quoted(key)) makes a target called \(quoted(name)), which there is already"
    case .badName(let name, let key):
      "the entry \(quoted(key)) makes the name \(quoted(name)), which is not a valid name"
    case .noSuchEntry(nil): "has no entry that this target needs"
    case .noSuchEntry(let name?): "makes no target \(quoted(name)), which a target or a group needs"
    case .lacks(let field, let key): "the entry \(quoted(key)) has no \(mask(field))"
    case .badPath(let fault, let value, let field, let key):
      "the \(field.map { mask($0) } ?? "file's name") \(quoted(value)) of the entry \(quoted(key)) cannot be a part of an output: "
        + Self.words(fault)
    case .badURL(let url, let key):
      "the URL \(quoted(url)) of the entry \(quoted(key)) is not one of http or https"
    case .hasCredentials(let key):
      "the URL of the entry \(quoted(key)) has a user's name or a password"
    case .outputTaken(let output, let key, let other):
      "the entry \(quoted(key)) makes the output \(quoted(output)), which conflicts with that of \(mask(other))"
    case .value(let problem): ValueWording(mask: mask).text(problem)
    case .refused(let message, let key): "the entry \(quoted(key)): \(mask(message))"
    }
  }

  /// Two entries, with their versions if both have one.
  private func pair(_ keys: [String], _ versions: [String]) -> String {
    let versions = versions.count == keys.count ? versions.map { " (\(mask($0)))" } : keys.map { _ in "" }
    return zip(keys, versions).map { quoted($0) + $1 }.joined(separator: " and ")
  }

  /// Why a text cannot be a part of an output.
  static func words(_ fault: ListedPath.Fault) -> String {
    switch fault {
    case .emptyPart: "a part of it is empty"
    case .parent: "\"..\" leads out of the folder"
    case .leadingDot: "it begins with a dot"
    case .leadingDash: "it begins with a dash"
    case .slash: "it has a slash, which only `tree: true` allows"
    case .control: "it has a control character"
    case .bidirectional: "it has a character that changes the direction of text"
    case .tooLong(let count): "a part of it has \(count) bytes"
    }
  }

  private func quoted(_ text: String) -> String { "\"\(mask(text))\"" }

  private static func hint(_ fault: ListFault) -> String? {
    switch fault.reason {
    case .badURL:
      "check `fields` in `list`, if there are any: an entry's URL is http or https, "
        + "not http if the list's is https, and absolute if the list is a local file"
    case .noRows: "`entries` is a pointer to an array in the document, such as `/files`"
    case .otherFormat, .malformed: "open the URL: is it a page for people, or another `format`?"
    case .empty: "nothing is removed because of an empty list"
    case .lacks(let what) where what == ListFault.continuation:
      "write `list-type=2` in the query of its URL: without it, further pages cannot be asked for"
    case .unaskedPages:
      "ask for more entries on one page in the URL, if the server can"
    case .noColumn(_, let only)
    where only.count == 1 && only[0].utf8.contains(where: { ";\t|".utf8.contains($0) }):
      "only commas separate the columns of `csv`: convert the table, or ask for one with commas"
    case .noColumn("url", _): "`fields: {url: …}` in `list` says where the URL is"
    case .noDigest: "`digest` in `fields` is where a row has an md5, sha1, sha256 or sha512"
    case .notCompared:
      "each selected file needs an md5, sha1, sha256 or sha512: look for such a list beside this one, or `exclude` the file"
    case .noColumn: "`fields` in `list` says which column is which"
    case .noLibrary:
      "install it, then run again" + (LibraryPackages.names("libexpat.so.1").map { ": \($0)" } ?? "")
    case .tooManyEntries, .tooManyPages, .tooLarge: nil
    case .hasDoctype, .repeatedPage, .badPage, .pageHasCredentials, .badLinkField:
      "only its publisher can correct the list"
    default: "check `fields` in `list`, if there are any; else only its publisher can correct the list"
    }
  }

  private static func hint(_ fault: ListExpansionFault, _ command: (String) -> String) -> String? {
    switch fault {
    case .notOne(0):
      "`include`, `exclude` and `match` leave nothing, or pre-releases only, which `prerelease: true` takes"
    case .notOne:
      "write `newest: 1`, with `match` where the version is in the name; or `${entry.key}` in the target's name"
    case .badPath(.slash, _, _, _): "write `tree: true` in `list` if the entries are in folders"
    case .outputTaken:
      "write another `output`, with `${entry.key}` if that is not in it; `exclude` leaves an entry out"
    case .sameName(_, _, let versions) where versions.count > 1:
      "`newest: 1` takes one version of each key, `${entry.version}` in the target's name and `output` tells them apart"
    case .badPath, .sameName, .nameTaken, .badName, .lacks, .badURL, .hasCredentials:
      "`exclude` leaves an entry out"
    case .noSuchEntry: "\(command("list")) lists the targets that it makes"
    case .value(let problem): ValueWording.hint(problem)
    case .repeatsTooMuch: "move the common keys to \"defaults\""
    case .tooMany, .refused: nil
    }
  }
}
