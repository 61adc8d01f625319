import Foundation
import SyncModel
import Testing

@testable import LocalFiles

@Suite struct EditableFileTests {
  let box: Sandbox
  init() throws { box = try Sandbox() }

  private func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: box.at(name))
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test func `a new file appears whole, with the usual mode`() throws {
    try EditableFile.create(box.at("m"), Array("one".utf8))
    #expect(box.text("m") == "one")
    #expect(try mode("m") == Int(0o666 & ~Umask.read()))
    #expect(box.names() == ["m"])
  }

  @Test(arguments: ["file", "link", "folder"]) func `an existing file is not overwritten`(kind: String)
    throws
  {
    switch kind {
    case "file": try box.put("old", at: "m")
    case "link": try box.link("m", to: "nowhere")
    default: try box.folder("m")
    }
    #expect(EditableFile.exists(box.at("m")))
    #expect(throws: FailureCause.self) { try EditableFile.create(box.at("m"), [1]) }
    #expect(box.names() == ["m"])
    if kind == "file" { #expect(box.text("m") == "old") }
  }

  @Test func `a file is replaced in one step and keeps its mode`() throws {
    try box.put("old", at: "m")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: box.at("m"))
    let file = try EditableFile(reading: box.at("m"), limit: 100)
    #expect(file.bytes == Array("old".utf8))
    #expect(try file.replace(with: Array("new".utf8)))
    #expect(box.text("m") == "new")
    #expect(try mode("m") == 0o640)
    #expect(box.names() == ["m"])
  }

  @Test func `a link stays, and the file behind it is replaced`() throws {
    try box.put("old", at: "sub/real")
    try box.link("m", to: "sub/real")
    #expect(try EditableFile(reading: box.at("m"), limit: 100).replace(with: Array("new".utf8)))
    #expect(box.text("sub/real") == "new")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: box.at("m")) == "sub/real")
    #expect(box.names("sub") == ["real"])
  }

  @Test func `a file that changed since it was read is not replaced`() throws {
    try box.put("old", at: "m")
    let file = try EditableFile(reading: box.at("m"), limit: 100)
    try box.put("somebody else's", at: "m")
    #expect(try !file.replace(with: [1]))
    #expect(box.text("m") == "somebody else's")
    #expect(box.names() == ["m"])
  }

  @Test func `of many concurrent editors none undoes another's change`() async throws {
    try box.put("", at: "m")
    let path = box.at("m")
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          for round in 0..<25 {
            for _ in 0..<1000 {
              guard let file = try? EditableFile(reading: path, limit: 10_000) else { continue }
              if (try? file.replace(with: file.bytes + Array("\(number)-\(round)\n".utf8))) == true { break }
            }
          }
        }
      }
    }
    let lines = try #require(box.text("m")).split(separator: "\n")
    #expect(Set(lines).count == 100)
    #expect(lines.count == 100)
    #expect(box.names() == ["m"])
  }

  @Test func `at most one byte above the limit is read, and anything but a file is refused`() throws {
    try box.put("12345", at: "m")
    #expect(try EditableFile(reading: box.at("m"), limit: 3).bytes == Array("1234".utf8))
    for path in [box.rootPath, box.at("none"), "a\0b"] {
      #expect(throws: FailureCause.self) { try EditableFile(reading: path, limit: 3) }
    }
    #expect(throws: FailureCause.self) { try EditableFile.create(box.at("no/m"), [1]) }
  }
}
