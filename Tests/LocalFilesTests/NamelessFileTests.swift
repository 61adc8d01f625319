import Foundation
import SyncModel
import Testing

@testable import LocalFiles

/// Files that get their names when they are published: the rules for files with names apply to them, too.
@Suite struct NamelessFileTests {
  let box: Sandbox
  init() throws { box = try Sandbox() }

  private static let areThere = { () -> Bool in
    guard let box = try? Sandbox(), let file = try? box.state.staging.createNameless(mode: 0o600) else {
      return false
    }
    return (try? file.requireKeptNameless()) != nil
  }()

  private static let byNameToo = areThere ? [false, true] : [true]

  /// Its bytes wait in memory.
  private func held(_ text: String, for output: RelativePath) throws -> StagedFile {
    let file = try StagedFile.create(in: box.state, for: output, root: box.root)
    try file.write(text)
    return file
  }

  /// Ready to be published without an old file; the second in its folder, since the first one always has a name.
  private func prepared(_ text: String, for path: String, hasName: Bool) throws -> StagedFile {
    if hasName {
      box.state.takesNameless.withLock { $0 = false }
    } else {
      let first = try held("first", for: .path("first"))
      try first.prepare(over: .missing, mode: nil, modified: nil)
      first.discard()
    }
    let file = try held(text, for: .path(path))
    try file.prepare(over: .missing, mode: nil, modified: nil)
    #expect(box.stagingNames.count == (hasName ? 1 : 0))
    return file
  }

  @Test(.enabled(if: areThere, "the temporary folder's file system has none"))
  func `the first file, which tests for support, has a name; the others have none`() throws {
    let files = try (0..<3).map { number in
      let file = try held("\(number)", for: .path("a\(number)"))
      try file.prepare(over: .missing, mode: nil, modified: nil)
      return file
    }
    #expect(box.stagingNames.count == 1)
    try StagedFile.syncAll(files, in: box.state)
    for file in files { try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil) }
    #expect(box.stagingNames == [])
    for number in 0..<3 { #expect(box.text("a\(number)") == "\(number)") }
  }

  @Test(arguments: byNameToo)
  func `the file is published whole, with its mode, into a folder that is created for it`(hasName: Bool)
    throws
  {
    let file = try prepared("new", for: "deep/er/a", hasName: hasName)
    let signature = try file.publish(over: .missing, mode: 0o640, modified: nil, expectedDigest: nil)
    #expect(box.text("deep/er/a") == "new")
    #expect(box.root.observe(.path("deep/er/a")) == .file(signature))
    let attributes = try FileManager.default.attributesOfItem(atPath: box.at("deep/er/a"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(box.stagingNames == [])
  }

  @Test(arguments: byNameToo)
  func `a file that appeared meanwhile is kept, and once it is removed the new file can be published`(
    hasName: Bool
  ) throws {
    let file = try prepared("new", for: "a", hasName: hasName)
    try box.put("theirs", at: "a")
    #expect(throws: FailureCause.outputModified(expected: nil, actual: nil)) {
      try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    }
    #expect(box.text("a") == "theirs")
    try FileManager.default.removeItem(atPath: box.at("a"))
    try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    #expect(box.text("a") == "new")
  }

  @Test(arguments: byNameToo)
  func `a file prepared for an empty place can still replace another file`(hasName: Bool) throws {
    let file = try prepared("new", for: "a", hasName: hasName)
    try box.put("old", at: "a")
    try file.publish(over: box.root.observe(.path("a")), mode: nil, modified: nil, expectedDigest: nil)
    #expect(box.text("a") == "new")
    #expect(box.stagingNames == [])
  }

  @Test(arguments: byNameToo)
  func `a discarded or unpublished file leaves nothing`(hasName: Bool) throws {
    let file = try prepared("new", for: "a", hasName: hasName)
    file.discard()
    #expect(box.stagingNames == [])
    _ = try held("dropped", for: .path("b")).prepare(over: .missing, mode: nil, modified: nil)
    #expect(box.stagingNames == [])
    #expect(box.names() == [])
  }
}
