import Foundation
import SyncModel
import Testing

@testable import LocalFiles

@Suite struct ChangeTests {
  let box: Sandbox
  init() throws { box = try Sandbox() }

  @Test func `an unchanged output is removed, and its folder stays`() throws {
    let signature = try box.publish("ours", to: .path("data/a"))
    #expect(try box.root.remove(.path("data/a"), ifStill: signature))
    #expect(box.names("data") == [])
    #expect(box.names() == ["data"])
    #expect(try !box.root.remove(.path("data/a"), ifStill: signature))
  }

  @Test func `an edited output is not removed`() throws {
    let signature = try box.publish("ours", to: .path("a"))
    try box.put("edited", at: "a")
    #expect(try !box.root.remove(.path("a"), ifStill: signature))
    #expect(box.text("a") == "edited")
  }

  @Test func `whatever replaced the output is not removed`() throws {
    let signature = try box.publish("ours", to: .path("d/a"))
    try FileManager.default.removeItem(atPath: box.at("d/a"))
    try box.put("theirs", at: "other")
    try box.link("d/a", to: "../other")
    #expect(try !box.root.remove(.path("d/a"), ifStill: signature))
    try FileManager.default.removeItem(atPath: box.at("d/a"))
    try box.folder("d/a")
    #expect(try !box.root.remove(.path("d/a"), ifStill: signature))
    #expect(box.text("other") == "theirs")
    #expect(box.names("d") == ["a"])
  }

  @Test func `a parent folder that became a link does not lead the removal outside the root`() throws {
    let signature = try box.publish("ours", to: .path("d/a"))
    try FileManager.default.moveItem(atPath: box.at("d"), toPath: box.path + "/moved")
    try box.link("d", to: box.path + "/moved")
    #expect(try !box.root.remove(.path("d/a"), ifStill: signature))
    #expect(box.text(atPath: box.path + "/moved/a") == "ours")
  }

  @Test func `the mtime is set, and the new signature is returned`() throws {
    let old = try box.publish("ours", to: .path("a"))
    let time = Timestamp(nanoseconds: 1_234_567_890_123_456_789)
    let new = try box.root.setModified(.path("a"), time, ifStill: old)
    #expect(new.modified == time)
    #expect(box.root.observe(.path("a")) == .file(new))
    #expect(box.text("a") == "ours")
    #expect(throws: FailureCause.outputModified(expected: nil, actual: nil)) {
      try box.root.setModified(.path("a"), time, ifStill: old)
    }
  }

  @Test func `a time before 1970 is set as well`() throws {
    let old = try box.publish("ours", to: .path("a"))
    let time = Timestamp(nanoseconds: -1_500_000_000)
    #expect(try box.root.setModified(.path("a"), time, ifStill: old).modified == time)
  }
}
