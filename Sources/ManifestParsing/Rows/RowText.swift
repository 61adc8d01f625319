import SyncModel

/// A text that is expanded for each row of a file: everything but the columns is put in once.
final class RowText {
  /// What the columns do not give, one part after another.
  private var fixed: [UInt8] = []
  /// Each column by its number, and how much of ``fixed`` comes before it.
  private var columns: [(number: Int, start: Int)] = []
  private var isSecret = false

  /// How many bytes the columns do not give.
  var fixedLength: Int { fixed.count }

  /// `nil` if a default has variables in it, or a variable has no value; then each row needs a closer look.
  init?(_ template: Template, _ row: RowCursor, _ value: (Template.Segment) -> ExpandedText?) {
    for segment in template.segments {
      switch segment {
      case .environment(_, fallback: .some, _): return nil
      case .variable(let name, _):
        if let column = row.names.firstIndex(of: name) {
          columns.append((column, fixed.count))
          continue
        }
      default: break
      }
      guard let value = value(segment) else { return nil }
      fixed += value.text.utf8
      isSecret = isSecret || value.isSecret
    }
  }

  /// Whether a column of the cursor's row would be more than plain text in a pattern.
  func isSpecial(_ row: RowCursor) -> Bool {
    unsafe row.withBytes { bytes in
      columns.contains { column in
        unsafe PathPattern.isSpecial(UnsafeRawBufferPointer(rebasing: bytes[row.range(of: column.number)]))
      }
    }
  }

  /// The text for the cursor's row; `nil` if it is too long.
  ///
  /// `bytes` is a buffer, kept for its capacity.
  func expanded(_ row: RowCursor, _ bytes: inout [UInt8]) -> ExpandedText? {
    var length = fixed.count
    for column in columns { length += row.range(of: column.number).count }
    guard length <= Variables.longestText else { return nil }
    if bytes.count < length { bytes = [UInt8](repeating: 0, count: 2 * length) }
    let text = unsafe bytes.withUnsafeMutableBytes { out in
      unsafe fixed.withUnsafeBytes { fixed in
        unsafe row.withBytes { values in unsafe put(fixed, values, row, into: out) }
      }
      return unsafe String(decoding: UnsafeRawBufferPointer(rebasing: out[..<length]), as: UTF8.self)
    }
    return ExpandedText(text: text, isSecret: isSecret)
  }

  private func put(
    _ fixed: UnsafeRawBufferPointer, _ values: UnsafeRawBufferPointer, _ row: RowCursor,
    into out: UnsafeMutableRawBufferPointer
  ) {
    var (place, end) = (0, 0)
    func add(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
      unsafe UnsafeMutableRawBufferPointer(rebasing: out[end...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
      end += range.count
    }
    for (number, start) in columns {
      unsafe add(fixed, place..<start)
      place = start
      unsafe add(values, row.range(of: number))
    }
    unsafe add(fixed, place..<fixed.count)
  }
}
