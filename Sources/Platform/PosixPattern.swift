#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A compiled POSIX extended regular expression of the C library.
@safe package struct PosixPattern: ~Copyable {
  /// Why a text is not an expression, in the C library's words.
  package struct Fault: Error, Sendable, Equatable {
    /// Such as "Unmatched ( or \\(".
    package var text: String
  }

  private let compiled: regex_t

  /// The number of groups.
  package let groups: Int

  /// Compiles `text`; a line that is matched has no end in it.
  package init(_ text: String) throws(Fault) {
    var compiled = unsafe regex_t()
    let status = unsafe regcomp(&compiled, text, REG_EXTENDED)
    guard status == 0 else {
      var buffer = [CChar](repeating: 0, count: 200)
      unsafe regerror(status, &compiled, &buffer, buffer.count)
      let words = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw Fault(text: String(decoding: words, as: UTF8.self))
    }
    unsafe self.compiled = compiled
    groups = unsafe Int(compiled.re_nsub)
  }

  deinit {
    var compiled = unsafe compiled
    unsafe regfree(&compiled)
  }

  /// The place of the first group in the first match in `line`; `nil` if nothing matches, or the group takes no part.
  package func group(in line: ArraySlice<UInt8>) -> Range<Int>? {
    var places = [regmatch_t(), regmatch_t()]
    places[0].rm_so = 0
    places[0].rm_eo = regoff_t(line.count)
    // With its flag the text may have a NUL. The one at its end is for the address sanitizer, which looks for it.
    let text = line + [0]
    let isMatch = unsafe text.withUnsafeBytes { bytes in
      guard let base = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return false }
      return unsafe withUnsafePointer(to: compiled) { pattern in
        unsafe regexec(pattern, base, 2, &places, REG_STARTEND) == 0
      }
    }
    let found = places[1]
    guard isMatch, found.rm_so >= 0 else { return nil }
    return line.startIndex + Int(found.rm_so)..<line.startIndex + Int(found.rm_eo)
  }
}
