/// Makes a tar of a list of entries, so that a fuzzer finds names and kinds that meet without it having to guess sums.
enum TreeScript {
  private static let parts = [
    "a", "b", "c", "x", "..", ".", "", "want", "a/b", "a/b/c", "\u{301}", "C:\\d", "\u{7f}",
  ]
  private static let modes = [0o644, 0o755, 0o4755, 0, 0o400, 0o7777]

  /// Each entry takes a few bytes of `script`; the first of them chooses its kind.
  static func tar(_ script: [UInt8]) -> [UInt8] {
    var choices = Choices(script)
    var tar: [UInt8] = []
    while !choices.areSpent, tar.count < 1 << 15 {
      let kind = choices.pick(Array("00001122555367x".utf8))
      let name = name(&choices)
      let target = kind == UInt8(ascii: "1") || kind == UInt8(ascii: "2") ? Self.name(&choices) : ""
      let isFile = kind == UInt8(ascii: "0") || kind == UInt8(ascii: "7")
      let length = isFile ? Int(choices.byte()) * (choices.flag() ? 1 : 77) : 0
      tar += header(name, kind, target, size: length, mode: choices.pick(modes))
      let byte = choices.byte()
      tar.append(contentsOf: repeatElement(byte, count: length))
      tar.append(contentsOf: repeatElement(0, count: (512 - length % 512) % 512))
    }
    return tar + [UInt8](repeating: 0, count: 1024)
  }

  /// Up to four parts, with or without slashes at the ends.
  private static func name(_ choices: inout Choices) -> String {
    let form = choices.byte()
    let path = (0...Int(form & 3)).map { _ in choices.pick(parts) }.joined(separator: "/")
    return (form & 0xF0 == 0xF0 ? "/" : "") + path + (form & 12 == 12 ? "/" : "")
  }

  private static func header(
    _ name: String, _ kind: UInt8, _ target: String, size: Int, mode: Int
  ) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at place: Int, _ most: Int) {
      for (offset, byte) in text.utf8.prefix(most).enumerated() { block[place + offset] = byte }
    }
    put(name, at: 0, 100)
    put(octal(mode, 7), at: 100, 7)
    put(octal(size, 11), at: 124, 11)
    put(octal(1_700_000_000, 11), at: 136, 11)
    put("        ", at: 148, 8)
    block[156] = kind
    put(target, at: 157, 100)
    put("ustar\u{0}00", at: 257, 8)
    put(octal(block.reduce(0) { $0 + Int($1) }, 6) + "\u{0}", at: 148, 7)
    return block
  }

  private static func octal(_ number: Int, _ digits: Int) -> String {
    let text = String(number, radix: 8)
    return String(repeating: "0", count: digits - text.count) + text
  }
}
