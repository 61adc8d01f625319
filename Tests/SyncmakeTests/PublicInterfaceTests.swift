import Foundation
import SyncTestSupport
import Testing

/// The library's interface follows semantic versioning: a change of it is a change of the recorded list.
@Suite struct PublicInterfaceTests {
  private static let recorded = "Tests/SyncmakeTests/PublicInterface.txt"

  @Test func `the public interface is the recorded one`() throws {
    let interface = try PublicInterface.read()
    let found = interface.declarations.map { $0.text + "\n" }.joined()
    let url = TestTools.project.appendingPathComponent(Self.recorded)
    if ProcessInfo.processInfo.environment["SYNCMAKE_RECORD_INTERFACE"] != nil {
      try Data(found.utf8).write(to: url)
    }
    let known = try String(contentsOf: url, encoding: .utf8)
    let (old, new) = (Set(known.split(separator: "\n")), Set(found.split(separator: "\n")))
    #expect(
      known == found,
      """
      \(Self.recorded) differs. Gone, which needs a new major version: \(old.subtracting(new).sorted()).
      New, which needs a new minor version: \(new.subtracting(old).sorted()).
      With SYNCMAKE_RECORD_INTERFACE set, the test writes the list anew.
      """)
  }

  @Test func `everything public is documented`() throws {
    let bare = try PublicInterface.read().declarations.filter { !$0.isDocumented }.map(\.text)
    // Each case of an enum of codes and names is its own description.
    #expect(bare.filter { !$0.contains(": case md5, ") && !$0.contains("protocol ") } == [])
  }

  @Test func `nothing of the interface has a type of Foundation or of another module`() throws {
    let texts = try PublicInterface.read().declarations.map(\.text)
    #expect(texts.count > 50)
    for word in ["URL", "Data", "Date", "URLSession", "SyncModel", "Execution", "Planning"] {
      #expect(texts.filter { $0.split { !$0.isLetter && !$0.isNumber }.contains(Substring(word)) } == [])
    }
  }
}

/// What `Sources/Syncmake` declares as public, read as text.
private struct PublicInterface {
  struct Declaration {
    /// The enclosing types, a colon, and the declaration without its body.
    var text: String
    var isDocumented: Bool
  }

  private(set) var declarations: [Declaration] = []
  /// The enclosing declarations, with their indentation.
  private var scopes: [(indent: Int, name: String, isPublicEnum: Bool)] = []

  static func read() throws -> PublicInterface {
    let folder = TestTools.project.appendingPathComponent("Sources/Syncmake")
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    var interface = PublicInterface()
    // The catalog of the documentation has code of apps.
    for path in paths.sorted() where path.hasSuffix(".swift") && !path.contains(".docc/") {
      let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
      interface.add(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }
    interface.declarations.sort { $0.text < $1.text }
    return interface
  }

  private mutating func add(_ lines: [String]) {
    scopes = []
    for (number, line) in lines.enumerated() {
      let indent = line.prefix { $0 == " " }.count
      let code = line.dropFirst(indent)
      guard !code.isEmpty, !code.hasPrefix("//") else { continue }
      scopes.removeAll { $0.indent >= indent }
      let isCase =
        code.hasPrefix("case ") && scopes.last?.isPublicEnum == true && scopes.last?.indent == indent - 2
      if code.hasPrefix("public ") || isCase {
        let names = scopes.map(\.name).joined(separator: ".")
        let text = Self.declaration(lines[number...])
        let before = number > 0 ? lines[number - 1].drop { $0 == " " } : ""
        declarations.append(
          Declaration(text: names.isEmpty ? text : "\(names): \(text)", isDocumented: before.hasPrefix("///"))
        )
      }
      if let name = Self.scope(code) {
        scopes.append((indent, name, code.hasPrefix("public enum ")))
      }
    }
  }

  /// The name of a type or of what an extension is of.
  private static func scope(_ code: Substring) -> String? {
    guard code.hasSuffix("{") else { return nil }
    let words = code.split { $0 == " " || $0 == ":" || $0 == "<" }
    let kinds: Set<Substring> = ["struct", "enum", "class", "extension", "protocol", "actor"]
    guard let place = words.firstIndex(where: kinds.contains), place < 3, place + 1 < words.count else {
      return nil
    }
    return String(words[place + 1])
  }

  /// The lines until the parentheses close, on one line, without a body.
  private static func declaration(_ lines: ArraySlice<String>) -> String {
    var text = ""
    for line in lines {
      let code = String(line.drop { $0 == " " })
      text += text.isEmpty || text.hasSuffix("(") || code.hasPrefix(")") ? code : " " + code
      if text.count(of: "(") == text.count(of: ")") { break }
    }
    let end = text.range(of: " {")?.lowerBound ?? text.endIndex
    return String(text[..<end])
  }
}

extension String {
  fileprivate func count(of character: Character) -> Int { self.count { $0 == character } }
}
