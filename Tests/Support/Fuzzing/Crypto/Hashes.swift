// A stand-in for swift-crypto's module: no check looks at a digest's value, only whether two are the same.

/// What `Digester` uses of a hash function.
public protocol HashFunction {
  init()
  mutating func update(bufferPointer: UnsafeRawBufferPointer)
  func finalize() -> StandInDigest
}

extension HashFunction {
  public mutating func update(data: [UInt8]) {
    data.withUnsafeBytes { update(bufferPointer: $0) }
  }
}

/// The bytes of a digest.
public struct StandInDigest {
  let bytes: [UInt8]

  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes(body)
  }
}

/// A sum of 64 bits by FNV-1a, repeated to the length of the real digest.
public struct StandIn<Length: DigestLength>: HashFunction {
  private var sum: UInt64 = 0xCBF2_9CE4_8422_2325

  public init() {}

  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {
    for byte in bufferPointer { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  public func finalize() -> StandInDigest {
    StandInDigest(bytes: (0..<Length.bytes).map { UInt8(truncatingIfNeeded: sum >> (8 * UInt64($0 % 8))) })
  }
}

/// In bytes.
public protocol DigestLength {
  static var bytes: Int { get }
}

public enum Bytes16: DigestLength { public static var bytes: Int { 16 } }
public enum Bytes20: DigestLength { public static var bytes: Int { 20 } }
public enum Bytes32: DigestLength { public static var bytes: Int { 32 } }
public enum Bytes64: DigestLength { public static var bytes: Int { 64 } }

public typealias SHA256 = StandIn<Bytes32>
public typealias SHA512 = StandIn<Bytes64>

public enum Insecure {
  public typealias MD5 = StandIn<Bytes16>
  public typealias SHA1 = StandIn<Bytes20>
}
