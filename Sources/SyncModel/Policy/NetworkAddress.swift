/// The numeric address of a socket.
package enum NetworkAddress: Sendable, Hashable {
  /// Its four bytes, the first one highest.
  case v4(UInt32)
  /// Its sixteen bytes in two halves, the first one highest.
  case v6(high: UInt64, low: UInt64)

  /// `nil` unless there are 4 or 16 bytes, in the network's order.
  package init?(bytes: [UInt8]) {
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    switch bytes.count {
    case 4: self = .v4(UInt32(truncatingIfNeeded: number(bytes[...])))
    case 16: self = .v6(high: number(bytes.prefix(8)), low: number(bytes.dropFirst(8)))
    default: return nil
    }
  }

  /// How many bits it has.
  package var width: Int { if case .v4 = self { 32 } else { 128 } }

  /// The IPv4 address that packets to it are for: its own, or the one that it maps or that NAT64 makes of it.
  ///
  /// Everything else is its own address.
  package var reached: NetworkAddress {
    guard case .v6(let high, let low) = self else { return self }
    let last = NetworkAddress.v4(UInt32(truncatingIfNeeded: low))
    if high == 0, low >> 32 == 0xffff { return last }
    if high == 0x0064_ff9b_0000_0000, low >> 32 == 0 { return last }
    return self
  }

  /// The IPv4 address that is anywhere in it by an agreed form, used or not; `nil` if there is none.
  package var embedded: NetworkAddress? {
    guard case .v6(let high, let low) = self else { return nil }
    if reached != self { return reached }
    // `::a.b.c.d`, and the form of a tunnel's interface (RFC 5214).
    if high == 0, low >> 32 == 0, low > 0xffff { return .v4(UInt32(low)) }
    if (low >> 32) | 0x0200_0000 == 0x0200_5efe { return .v4(UInt32(truncatingIfNeeded: low)) }
    switch high >> 48 {
    // The local form of NAT64 (RFC 8215), with the shortest and the longest prefix.
    case 0x0064 where high >> 16 == 0x0064_ff9b_0001: return .v4(UInt32(truncatingIfNeeded: low))
    case 0x2002: return .v4(UInt32(truncatingIfNeeded: high >> 16))
    // Teredo turns the bits of the client's address round.
    case 0x2001 where high >> 32 & 0xffff == 0: return .v4(~UInt32(truncatingIfNeeded: low))
    default: return nil
    }
  }
}

extension NetworkAddress: CustomStringConvertible {
  /// As people write it; the longest run of zeros of an IPv6 address is `::` (RFC 5952).
  package var description: String {
    switch self {
    case .v4(let bits):
      return stride(from: UInt32(24), through: 0, by: -8).map { String(bits >> $0 & 0xff) }
        .joined(separator: ".")
    case .v6(let high, let low):
      if high == 0, low >> 32 == 0xffff {
        return "::ffff:\(NetworkAddress.v4(UInt32(truncatingIfNeeded: low)))"
      }
      return Self.text(Self.groups(of: high) + Self.groups(of: low))
    }
  }

  private static func groups(of half: UInt64) -> [UInt64] {
    stride(from: UInt64(48), through: 0, by: -16).map { half >> $0 & 0xffff }
  }

  private static func text(_ groups: [UInt64]) -> String {
    func text(_ groups: ArraySlice<UInt64>) -> String {
      groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
    var best = 0..<0
    var start: Int?
    for place in 0...groups.count {
      if place < groups.count, groups[place] == 0 {
        start = start ?? place
      } else if let begin = start {
        if place - begin > max(best.count, 1) { best = begin..<place }
        start = nil
      }
    }
    guard !best.isEmpty else { return text(groups[...]) }
    return "\(text(groups[..<best.lowerBound]))::\(text(groups[best.upperBound...]))"
  }
}

// MARK: Reading

extension NetworkAddress {
  /// Reads an address as people write it: four decimal numbers, or groups of hexadecimal digits.
  package init?(_ text: String) {
    let bytes = text.utf8[...]
    if bytes.contains(UInt8(ascii: ":")) {
      guard let address = Self.v6(bytes) else { return nil }
      self = address
    } else {
      let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      let numbers = parts.compactMap { part in
        part.count > 1 && part.first == UInt8(ascii: "0")
          ? nil : Self.number(part).flatMap { $0 < 256 ? $0 : nil }
      }
      guard parts.count == 4, numbers.count == 4, parts.allSatisfy({ $0.allSatisfy(Self.isDigit) }) else {
        return nil
      }
      self = .v4(UInt32(numbers.reduce(0) { $0 << 8 | $1 }))
    }
  }

  /// The address that the host of a URL is, in whatever spelling the system takes; `nil` for a name.
  ///
  /// IPv4 addresses have one to four numbers, each decimal, octal or hexadecimal, as inet_aton(3) reads them. IPv6
  /// addresses are in brackets, perhaps with a zone.
  package init?(host: String) {
    var bytes = host.utf8[...]
    if bytes.first == UInt8(ascii: "[") {
      guard bytes.last == UInt8(ascii: "]") else { return nil }
      bytes = bytes.dropFirst().dropLast().prefix { $0 != UInt8(ascii: "%") }
      guard let address = Self.v6(bytes) else { return nil }
      self = address
      return
    }
    if bytes.last == UInt8(ascii: ".") { bytes = bytes.dropLast() }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let numbers = parts.compactMap(Self.number)
    guard (1...4).contains(parts.count), numbers.count == parts.count, let last = numbers.last,
      numbers.dropLast().allSatisfy({ $0 < 256 }), last < 1 << (8 * UInt64(5 - parts.count))
    else { return nil }
    let first = numbers.dropLast().reduce(UInt64(0)) { $0 << 8 | $1 }
    self = .v4(UInt32(truncatingIfNeeded: first << (8 * UInt64(5 - parts.count)) | last))
  }

  /// Whether a host is a numeric address whose value is not seen here: only the conversion of international names to
  /// ASCII, which is done when it is asked, makes digits and dots of it, as of `①⑥⑨。２５４.169.254`.
  ///
  /// No top-level domain begins with a digit. Some begin with a Chinese numeral, and that stays what it is.
  package static func isHidden(in host: String) -> Bool {
    guard host.utf8.contains(where: { $0 >= 0x80 }) else { return false }
    let seen = host.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
    let dots: [Unicode.Scalar] = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]
    guard let first = seen.split(whereSeparator: { dots.contains($0) }).last?.first else { return false }
    return first.properties.numericType != nil && !first.properties.isIdeographic
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// A number as C writes it: `0x1f`, `017`, `15`; `nil` for anything else, and beyond 32 bits.
  private static func number(_ text: Substring.UTF8View) -> UInt64? {
    var digits = text
    var radix: UInt64 = 10
    if digits.count > 1, digits.first == UInt8(ascii: "0") {
      digits = digits.dropFirst()
      radix = 8
      if digits.first.map({ $0 | 0x20 }) == UInt8(ascii: "x") {
        digits = digits.dropFirst()
        radix = 16
        // glibc takes `0x` for 0.
        if digits.isEmpty { return 0 }
      }
    }
    guard !digits.isEmpty else { return nil }
    var value: UInt64 = 0
    for byte in digits {
      guard let digit = byte.hexValue.map(UInt64.init), digit < radix, value < 1 << 32 else { return nil }
      value = value * radix + digit
    }
    return value < 1 << 32 ? value : nil
  }

  private static func v6(_ text: Substring.UTF8View) -> NetworkAddress? {
    var parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count > 2 else { return nil }
    // At an end `::` makes two empty parts.
    if parts[0].isEmpty { guard parts.removeFirst().isEmpty, parts[0].isEmpty else { return nil } }
    if parts.count > 1, parts[parts.count - 1].isEmpty {
      guard parts.removeLast().isEmpty, parts[parts.count - 1].isEmpty else { return nil }
    }
    var groups: [UInt64] = []
    var gap: Int?
    for (place, part) in parts.enumerated() {
      if part.isEmpty {
        guard gap == nil else { return nil }
        gap = groups.count
      } else if part.contains(UInt8(ascii: ".")) {
        guard place == parts.count - 1, case .v4(let bits)? = NetworkAddress(String(Substring(part))) else {
          return nil
        }
        groups += [UInt64(bits >> 16), UInt64(bits & 0xffff)]
      } else {
        guard part.count <= 4 else { return nil }
        var value: UInt64 = 0
        for byte in part {
          guard let digit = byte.hexValue else { return nil }
          value = value << 4 | UInt64(digit)
        }
        groups.append(value)
      }
    }
    guard gap == nil ? groups.count == 8 : groups.count < 8 else { return nil }
    if let gap { groups.insert(contentsOf: [UInt64](repeating: 0, count: 8 - groups.count), at: gap) }
    func half(_ groups: ArraySlice<UInt64>) -> UInt64 { groups.reduce(0) { $0 << 16 | $1 } }
    return .v6(high: half(groups[..<4]), low: half(groups[4...]))
  }
}

/// The addresses that begin with the same bits.
package struct AddressNetwork: Sendable, Hashable, CustomStringConvertible {
  /// The address with zeros after the prefix.
  package let first: NetworkAddress
  /// How many bits all its addresses share.
  package let prefix: Int

  /// Why a text is no network.
  package enum Fault: Error, Sendable, Equatable {
    /// It is not an address, perhaps with a slash and a number of bits.
    case unreadable
    /// The address has bits after the prefix; the network that has it.
    case bitsAfterPrefix(String)
  }

  /// Reads `10.1.0.0/16` or `fd00::/8`, or an address alone.
  package init(_ text: String) throws(Fault) {
    let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
    guard let address = NetworkAddress(String(text[..<slash])) else { throw .unreadable }
    var prefix = address.width
    if slash < text.endIndex {
      let digits = text[text.utf8.index(after: slash)...]
      guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        digits.utf8.count == 1 || digits.utf8.first != UInt8(ascii: "0"), let number = Int(digits),
        number <= address.width
      else { throw .unreadable }
      prefix = number
    }
    self.init(of: address, prefix: prefix)
    guard first == address else { throw .bitsAfterPrefix(description) }
  }

  /// The network of `address` with so many common bits.
  package init(of address: NetworkAddress, prefix: Int) {
    self.prefix = prefix
    first = Self.begin(of: address, prefix)
  }

  /// For the tables of this module, whose texts can be read.
  init(known text: StaticString) {
    self = (try? AddressNetwork(text.description)) ?? AddressNetwork(of: .v4(0), prefix: 32)
  }

  /// Whether `address` is in it; an IPv4 address is in no network of IPv6.
  package func contains(_ address: NetworkAddress) -> Bool { Self.begin(of: address, prefix) == first }

  /// As it is written, with its prefix unless it is a single address.
  package var description: String { prefix == first.width ? "\(first)" : "\(first)/\(prefix)" }

  private static func begin(of address: NetworkAddress, _ prefix: Int) -> NetworkAddress {
    // A shift by the whole width gives 0.
    switch address {
    case .v4(let bits): .v4(bits & ~(UInt32.max >> UInt32(clamping: prefix)))
    case .v6(let high, let low):
      .v6(
        high: high & ~(prefix >= 64 ? 0 : UInt64.max >> UInt64(prefix)),
        low: low & ~(prefix <= 64 ? .max : UInt64.max >> UInt64(prefix - 64)))
    }
  }
}
