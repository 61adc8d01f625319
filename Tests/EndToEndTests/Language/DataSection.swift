import Foundation
import SyncTestSupport

/// A section that gives names to bytes: `NAME = random 300000 seed=1`.
enum DataSection {
  static func read(_ section: ScenarioFile.Section, into expander: inout Expander) throws(ScenarioProblem) {
    for statement in section.statements {
      var words = try WordList(try expander.expand(statement))
      let name = try words.take("a name")
      guard words.takeIf("=") else { throw words.problem("write NAME = …") }
      guard expander.data[name] == nil else { throw words.problem("\(name) is defined twice") }
      expander.data[name] = try bytes(&words, expander)
      try words.end()
    }
  }

  private static func bytes(_ words: inout WordList, _ known: Expander) throws(ScenarioProblem) -> [UInt8] {
    let function = try words.take("a function")
    switch function {
    case "text": return Array(try words.take("the text").utf8)
    case "hex": return try hex(&words)
    case "zeros": return [UInt8](repeating: 0, count: try words.takeNumber("a count"))
    case "random":
      let seed = try words.number("seed") ?? 1
      return TestData.random(try words.takeNumber("a count"), seed: UInt64(seed))
    case "repeat":
      let count = try words.takeNumber("a count")
      let text = Array(try words.take("the text").utf8)
      return Array([[UInt8]](repeating: text, count: count).joined())
    case "gzip":
      let bytes = try known.bytes(try words.take("data"), words.line)
      do { return try TestData.gzip(bytes) } catch { throw words.problem("cannot compress: \(error)") }
    case "xz", "zstd", "bzip2":
      let bytes = try known.bytes(try words.take("data"), words.line)
      var options: [String] = []
      while !words.isEmpty { options.append(try words.take("an option")) }
      do { return try TestData.pack(bytes, with: function, options: options) } catch {
        throw words.problem("cannot compress: \(error)")
      }
    case "archive": return try archive(&words, known)
    case "concat":
      var all: [UInt8] = []
      while !words.isEmpty { all += try known.bytes(try words.take("data"), words.line) }
      return all
    case "first":
      let count = try words.takeNumber("a count")
      return Array(try known.bytes(try words.take("data"), words.line).prefix(count))
    case "flip": return try flipped(&words, known)
    default: throw words.problem("unknown function \(function)")
    }
  }

  /// `archive FORMAT ENTRY…`, with data for the content of files.
  private static func archive(_ words: inout WordList, _ known: Expander) throws(ScenarioProblem) -> [UInt8] {
    let form = try words.take("a format")
    var entries: [String] = []
    var files: [String: [UInt8]] = [:]
    while !words.isEmpty {
      let entry = try words.take("an entry")
      entries.append(entry)
      let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, !parts[1].hasPrefix(">") else { continue }
      files[parts[1]] = try known.bytes(parts[1], words.line)
    }
    do { return try TestArchives.make(form, entries, files: files) } catch {
      throw words.problem("cannot make the archive: \(error)")
    }
  }

  /// The data with all bits of one byte inverted.
  private static func flipped(_ words: inout WordList, _ known: Expander) throws(ScenarioProblem) -> [UInt8] {
    let index = try words.takeNumber("a position")
    var bytes = try known.bytes(try words.take("data"), words.line)
    guard bytes.indices.contains(index) else { throw words.problem("no byte at \(index)") }
    bytes[index] ^= 0xff
    return bytes
  }

  private static func hex(_ words: inout WordList) throws(ScenarioProblem) -> [UInt8] {
    let digits = Array(try words.take("hex digits"))
    guard digits.count.isMultiple(of: 2) else { throw words.problem("hex digits come in pairs") }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(digits[start...start + 1]), radix: 16) else {
        throw words.problem("not hex digits")
      }
      bytes.append(byte)
    }
    return bytes
  }
}

func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
