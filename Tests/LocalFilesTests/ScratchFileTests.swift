import SyncModel
import Testing

@testable import LocalFiles

@Suite struct ScratchFileTests {
  let box: Sandbox
  init() throws { box = try Sandbox() }

  @Test func `its bytes are read from any place, and it has no name`() throws {
    let file = try ScratchFile(in: box.state)
    for text in ["one ", "two ", "three"] {
      try Array(text.utf8).withUnsafeBytes { try file.append($0) }
    }
    #expect(file.size == 13)
    var buffer = [UInt8](repeating: 0, count: 5)
    #expect(try buffer.withUnsafeMutableBytes { try file.read(at: 4, into: $0) } == 5)
    #expect(String(decoding: buffer, as: UTF8.self) == "two t")
    #expect(try buffer.withUnsafeMutableBytes { try file.read(at: 11, into: $0) } == 2)
    #expect(try buffer.withUnsafeMutableBytes { try file.read(at: 13, into: $0) } == 0)
    #expect(box.stagingNames == [] && box.names() == [])
  }
}
