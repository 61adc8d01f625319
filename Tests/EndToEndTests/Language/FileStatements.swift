/// A change to the files between runs.
struct FileEdit {
  enum Change {
    case write(path: String, [UInt8])
    case append(path: String, [UInt8])
    /// A file that can be run, with its mode.
    case program(path: String, [UInt8], UInt16)
    case mode(path: String, UInt16)
    /// `nil` for now.
    case touch(path: String, HTTPTime?)
    case remove(path: String)
    case link(path: String, destination: String)
    case hardLink(path: String, original: String)
    case folder(path: String)
    case pipe(path: String)
    case move(path: String, destination: String)
    case copy(path: String, destination: String)
    case truncate(path: String, bytes: Int)
    case release(gate: String)
    case stop(server: String)
  }

  var line: Int
  var change: Change
}

/// The required state of the files.
struct FileCheck {
  enum Expectation {
    case holds(path: String, [UInt8])
    case looksLike(path: String, TextPattern)
    case contains(path: String, String)
    case absent(path: String)
    case present(path: String)
    case mode(path: String, UInt16)
    case time(path: String, HTTPTime)
    case isLink(path: String)
    /// Bytes, times and inode are the same as before the last run.
    case unchanged(path: String)
    /// The same, except perhaps for the inode's change time: another name of the file came or went.
    case same(path: String)
    /// The bytes, the times or the inode are different.
    case changed(path: String)
    /// Nothing in the root or the state folder has changed since before the last run.
    case treeUnchanged
    /// The files in the root, without the state folder, are exactly these.
    case only([String])
    /// No temporary file is left beside an output.
    case noLeftovers
    /// No file in the root or the state folder contains this text.
    case nowhere(String)
  }

  var line: Int
  var expectation: Expectation
}

/// Seconds since 1970, written as HTTP writes dates.
struct HTTPTime: Equatable {
  var seconds: Int
}

extension FileEdit {
  static func read(_ line: SourceLine, _ expander: Expander) throws(ScenarioProblem) -> FileEdit {
    var words = try WordList(line)
    let change = try change(&words, expander)
    try words.end()
    return FileEdit(line: line.number, change: change)
  }

  private static func change(
    _ words: inout WordList, _ expander: Expander
  ) throws(ScenarioProblem) -> Change {
    let verb = try words.take("a verb")
    if verb == "release" { return .release(gate: try words.take("a gate")) }
    if verb == "stop" { return .stop(server: try words.take("a server")) }
    if verb == "chmod" {
      let mode = try FileCheck.mode(try words.take("a mode"), words)
      return .mode(path: try words.take("a path"), mode)
    }
    let path = try words.take("a path")
    switch verb {
    case "write": return .write(path: path, try content(&words, expander))
    case "append": return .append(path: path, try content(&words, expander))
    case "touch": return .touch(path: path, words.isEmpty ? nil : try HTTPTime.read(&words))
    case "remove": return .remove(path: path)
    case "link": return .link(path: path, destination: try words.take("where it leads"))
    case "hardlink": return .hardLink(path: path, original: try words.take("what it stands for"))
    case "mkdir": return .folder(path: path)
    case "fifo": return .pipe(path: path)
    case "move": return .move(path: path, destination: try words.take("a destination"))
    case "copy": return .copy(path: path, destination: try words.take("a destination"))
    case "truncate": return .truncate(path: path, bytes: try words.takeNumber("a size"))
    default: throw words.problem("unknown change \(verb)")
    }
  }

  /// `"text"`, or the name of data.
  private static func content(
    _ words: inout WordList, _ expander: Expander
  ) throws(ScenarioProblem) -> [UInt8] {
    let rest = words.rest()
    guard rest.count == 1, rest[0].key == nil else { throw words.problem("write \"text\" or a name of data") }
    return rest[0].isQuoted ? Array(rest[0].text.utf8) : try expander.bytes(rest[0].text, words.line)
  }
}

extension FileCheck {
  static func read(_ line: SourceLine, _ expander: Expander) throws(ScenarioProblem) -> FileCheck {
    var words = try WordList(line)
    let expectation = try expectation(&words, expander)
    try words.end()
    return FileCheck(line: line.number, expectation: expectation)
  }

  private static func expectation(
    _ words: inout WordList, _ expander: Expander
  ) throws(ScenarioProblem) -> Expectation {
    let first = try words.take("a check")
    switch first {
    case "absent": return .absent(path: try words.take("a path"))
    case "present": return .present(path: try words.take("a path"))
    case "unchanged": return .unchanged(path: try words.take("a path"))
    case "same-file": return .same(path: try words.take("a path"))
    case "changed": return .changed(path: try words.take("a path"))
    case "tree-unchanged": return .treeUnchanged
    case "no-leftovers": return .noLeftovers
    case "nowhere": return .nowhere(try words.take("a text"))
    case "only": return .only(words.rest().map(\.text).sorted())
    default: return try expectation(of: first, &words, expander)
    }
  }

  private static func expectation(
    of path: String, _ words: inout WordList, _ expander: Expander
  ) throws(ScenarioProblem) -> Expectation {
    switch try words.take("a property") {
    case "=": return .holds(path: path, try expander.bytes(try words.take("data"), words.line))
    case "mode": return .mode(path: path, try mode(try words.take("a mode"), words))
    case "mtime": return .time(path: path, try HTTPTime.read(&words))
    case "contains": return .contains(path: path, try words.take("a text"))
    case "link": return .isLink(path: path)
    case let word: throw words.problem("unknown property \(word) of \(path)")
    }
  }

  fileprivate static func mode(_ text: String, _ words: WordList) throws(ScenarioProblem) -> UInt16 {
    guard let mode = UInt16(text, radix: 8) else { throw words.problem("\(text) is no file mode") }
    return mode
  }
}
