#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Recognises the simplest of all replies, a 304 with nothing new, without parsing its header.
///
/// Other replies may mean the same; ``HeaderBlock`` and the fetch machine decide that. What it recognises must repeat
/// validators by `ConfirmationRule.repeats`, which this module cannot import: only the time of such a reply is recorded, and
/// `PlainNotModifiedTests` compare the two. It uses pointers, since
/// there is one for each of ten thousand files, and libcurl needs no longer for the whole reply than a dozen slices
/// of its header would take here.
@safe struct PlainNotModified {
  /// The value of a condition; `nil` if there was none of its kind.
  private let etag: UnsafeRawBufferPointer?
  private let lastModified: UnsafeRawBufferPointer?

  /// For a request with these header lines, each `If-None-Match: …`, `If-Modified-Since: …` or empty.
  ///
  /// They must outlive this value.
  init(_ first: UnsafePointer<CChar>, _ second: UnsafePointer<CChar>) {
    unsafe etag = Self.value("If-None-Match: ", first) ?? Self.value("If-None-Match: ", second)
    unsafe lastModified =
      Self.value("If-Modified-Since: ", first) ?? Self.value("If-Modified-Since: ", second)
  }

  private static func value(_ name: StaticString, _ line: UnsafePointer<CChar>) -> UnsafeRawBufferPointer? {
    let length = name.utf8CodeUnitCount
    guard
      unsafe strncmp(line, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self), length) == 0
    else {
      return nil
    }
    return unsafe UnsafeRawBufferPointer(start: line + length, count: strlen(line + length))
  }

  /// Whether `header`, all header lines of a reply, is a 304 whose validators, if any, are those that were sent,
  /// and which has no other field that could change its meaning.
  func matches(_ header: UnsafeRawBufferPointer) -> Bool {
    guard let start = header.baseAddress else { return false }
    var line = unsafe start
    var hasLength = false
    let end = unsafe start + header.count
    while unsafe line < end, let newline = unsafe memchr(line, 0x0a, end - line) {
      let next = unsafe UnsafeRawPointer(newline) + 1
      var text = unsafe UnsafeRawBufferPointer(start: line, count: next - line - 1)
      if unsafe text.last == 0x0d { unsafe text = UnsafeRawBufferPointer(rebasing: text.dropLast()) }
      if unsafe line == start {
        guard unsafe Self.isNotModified(text) else { return false }
      } else if unsafe text.isEmpty {
        return unsafe next == end
      } else if unsafe Self.isNamed(text, "content-length:") {
        // The file's value, which some servers also send here; two might differ.
        guard !hasLength, unsafe Self.isNumber(text.dropFirst(15)) else { return false }
        hasLength = true
      } else if unsafe !isHarmless(text) {
        return false
      }
      unsafe line = next
    }
    return false
  }

  /// `HTTP/1.1 304` or another version's, and whatever words.
  private static func isNotModified(_ line: UnsafeRawBufferPointer) -> Bool {
    for status in ["HTTP/1.1 304", "HTTP/2 304", "HTTP/1.0 304"] as [StaticString] {
      let length = status.utf8CodeUnitCount
      if line.count >= length, let start = line.baseAddress,
        unsafe memcmp(start, status.utf8Start, length) == 0
      {
        return unsafe line.count == length || line[length] == 0x20
      }
    }
    return false
  }

  private func isHarmless(_ line: UnsafeRawBufferPointer) -> Bool {
    // By its first letter, since a header has a dozen lines of no interest.
    switch unsafe line[0] | 0x20 {
    case UInt8(ascii: "e"): return unsafe Self.repeats(etag, line, "etag:")
    case UInt8(ascii: "l"): return unsafe Self.repeats(lastModified, line, "last-modified:")
    case UInt8(ascii: "c"):
      return unsafe !Self.isNamed(line, "content-encoding:") && !Self.isNamed(line, "content-range:")
    case UInt8(ascii: "t"): return unsafe !Self.isNamed(line, "transfer-encoding:")
    case UInt8(ascii: "h"): return unsafe !Self.isNamed(line, "http/")
    // A folded line belongs to the one before it; a blank and a tab come out of the mask as they are.
    case 0x20, 0x29: return unsafe line[0] != 0x20 && line[0] != 0x09
    default: return true
    }
  }

  /// Whether the line is not `name`, or has exactly this value.
  private static func repeats(
    _ value: UnsafeRawBufferPointer?, _ line: UnsafeRawBufferPointer, _ name: StaticString
  ) -> Bool {
    guard unsafe isNamed(line, name) else { return true }
    guard let value = unsafe value else { return false }
    var (first, end) = (name.utf8CodeUnitCount, line.count)
    while first < end, unsafe line[first] == 0x20 || line[first] == 0x09 { first += 1 }
    while end > first, unsafe line[end - 1] == 0x20 || line[end - 1] == 0x09 { end -= 1 }
    guard end - first == value.count, let start = line.baseAddress, let known = value.baseAddress else {
      return false
    }
    return unsafe memcmp(start + first, known, value.count) == 0
  }

  /// Whether it is a number that any length fits in, blanks around it aside.
  private static func isNumber(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    let digits = unsafe text.drop { $0 == 0x20 || $0 == 0x09 }
    return unsafe (1...18).contains(digits.count) && digits.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Whether the line begins with `name`, which is in lower case, in any case.
  private static func isNamed(_ line: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
    let length = name.utf8CodeUnitCount
    guard line.count >= length, let start = line.baseAddress else { return false }
    return unsafe strncasecmp(
      start.assumingMemoryBound(to: CChar.self),
      UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self), length) == 0
  }
}
