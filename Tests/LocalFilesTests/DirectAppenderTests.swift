import CSystemShim
import Foundation
import Platform
import Testing

@testable import LocalFiles

/// Large files bypass the page cache in whole pages; every byte must be there, whichever path it took.
@Suite final class DirectAppenderTests {
  private static let block = 256 << 10
  private let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)"
  private let file: Descriptor
  private let memory = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 5 * block, alignment: DirectAppender.page)
  private var filler = DirectAppender()
  private var size: Int64 = 0
  /// The expected content of the file.
  private var expected: [UInt8] = []

  init() throws {
    file = try Descriptor(path, in: AT_FDCWD, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    for index in memory.indices { memory[index] = UInt8(truncatingIfNeeded: index &* 31 ^ index >> 9) }
  }

  deinit {
    memory.deallocate()
    unlink(path)
  }

  /// Appends the parts of the memory that `ranges` name.
  private func append(_ ranges: Range<Int>...) throws {
    let pieces = ranges.map { UnsafeRawBufferPointer(rebasing: memory[$0]) }
    try filler.append(pieces, to: file, size: &size)
    for piece in pieces { expected += piece }
    #expect(size == Int64(expected.count))
  }

  private func isWhole() throws -> Bool { try Data(contentsOf: URL(fileURLWithPath: path)) == Data(expected) }

  /// Fills the file up to the start of direct writes.
  private func fillCache() throws {
    while size < DirectAppender.directFrom { try append(0..<Self.block) }
  }

  /// Whether the file system under the test supports it.
  private var isPossible: Bool {
    defer { _ = syncmake_set_direct(file.raw, 0) }
    return syncmake_set_direct(file.raw, 1) == 0
  }

  /// Whether the system accepts requests to begin writing.
  private var isSentOn: Bool { syncmake_start_writing(file.raw, 0, 1) == 0 }

  @Test func `whole pages bypass the page cache, and the remaining bytes do not`() throws {
    let block = Self.block
    try fillCache()
    #expect(filler.directBytes == 0)
    try append(0..<block)
    try append(block..<2 * block, 3 * block..<4 * block, 0..<block)
    try append(0..<block, 0..<1000)
    #expect(filler.directBytes == (isPossible ? Int64(5 * block) : 0))
    // The end of the file is within a page now.
    try append(0..<block, block..<2 * block)
    try append(7..<4000)
    #expect(filler.directBytes == (isPossible ? Int64(5 * block) : 0))
    #expect(try isWhole())
  }

  @Test func `memory that is not page-aligned is written through the page cache`() throws {
    try fillCache()
    try append(1..<Self.block + 1)
    try append(0..<Self.block, 5..<Self.block + 5)
    #expect(filler.directBytes == (isPossible ? Int64(Self.block) : 0))
    #expect(try isWhole())
  }

  @Test func `any part of the file can be read between two writes`() throws {
    try fillCache()
    try append(0..<Self.block)
    var three = [UInt8](repeating: 0, count: 3)
    let read = try three.withUnsafeMutableBytes { try file.read(into: $0, at: size - 7) }
    #expect(read == 3)
    #expect(three == Array(expected.suffix(7).prefix(3)))
  }

  @Test func `bytes in the page cache are written out in segments that are waited for`() throws {
    filler = DirectAppender(writesDirectly: false)
    for _ in 0..<20 { try append(0..<Self.block, 2 * Self.block..<4 * Self.block) }
    for _ in 0..<20 { try append(1..<Self.block, 0..<5 * Self.block) }
    #expect(filler.directBytes == 0)
    let begun = size / DirectAppender.stretch * DirectAppender.stretch
    #expect(filler.finished == (isSentOn ? begun - DirectAppender.stretch : 0))
    #expect(try isWhole())
  }

  @Test(arguments: [true, false]) func `a truncated file continues at its new end`(writesDirectly: Bool)
    throws
  {
    filler = DirectAppender(writesDirectly: writesDirectly)
    try fillCache()
    for _ in 0..<20 { try append(0..<Self.block) }
    for length in [Int(DirectAppender.directFrom) + 4096, 5000, 0] {
      try file.truncate(to: Int64(length))
      size = Int64(length)
      expected.removeLast(expected.count - length)
      filler.cut(to: size)
      for _ in 0..<20 { try append(0..<Self.block, Self.block..<2 * Self.block) }
      #expect(try isWhole())
    }
  }
}
