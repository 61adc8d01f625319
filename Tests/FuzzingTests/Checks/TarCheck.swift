import Archives
import Planning
import SyncModel

/// A tar in pieces of any size has the same entries, contents and faults as all of it at once; each entry that is
/// accepted has a safe name.
///
/// The input's first byte chooses the size of the pieces; the rest is the tar.
enum TarCheck {
  private struct Answer: Equatable {
    var entries: [ArchiveEntry] = []
    var content: [UInt8] = []
    var fault: ArchiveFault?
  }

  static func run(_ input: [UInt8]) throws(Violation) {
    var choices = Choices(input)
    let piece = Int(choices.byte())
    let bytes = choices.rest()
    let expected = try answer(bytes, piece: max(bytes.count, 1))
    let actual = try answer(bytes, piece: max(piece, 1))
    try demand(
      actual == expected, "pieces of \(piece): \(actual.fault as Any), but at once \(expected.fault as Any)")
    try select(expected.entries)
  }

  private static func answer(_ bytes: [UInt8], piece: Int) throws(Violation) -> Answer {
    var reader = TarReader()
    var answer = Answer()
    var place = 0
    do throws(ArchiveFault) {
      while place < bytes.count {
        let end = min(bytes.count, place + piece)
        let (used, step) = try take(Array(bytes[place..<end]), &reader)
        guard (1...end - place).contains(used) else {
          throw ArchiveFault(.library("\(used) of \(end - place) bytes"))
        }
        switch step {
        case .more: break
        case .entry(let entry): answer.entries.append(entry)
        case .content: answer.content += bytes[place..<place + used]
        }
        place += used
      }
      try reader.finish()
    } catch {
      answer.fault = error
    }
    if case .library(let text)? = answer.fault?.reason { throw Violation(text) }
    return answer
  }

  /// Reads a piece in its own memory, so that reading beyond its end is detected.
  private static func take(
    _ piece: [UInt8], _ reader: inout TarReader
  ) throws(ArchiveFault) -> (used: Int, step: TarReader.Step) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: piece)
    return try reader.step(UnsafeRawBufferPointer(memory))
  }

  private static func select(_ entries: [ArchiveEntry]) throws(Violation) {
    guard let pattern = try? PathPattern("**/[a-z]*") else { throw Violation("no pattern") }
    var selection = EntrySelection(UnpackRules(entry: pattern), strip: 0, .tar)
    for entry in entries {
      guard (try? selection.take(entry)) != nil else { return }
      let parts = EntryName(unchecked: entry.name).parts
      let isSafe =
        entry.name.first != 0x2f && !entry.name.contains(0) && !parts.contains { $0.elementsEqual("..".utf8) }
      try demand(isSafe, "\(entry.shownName) is accepted")
    }
  }
}
