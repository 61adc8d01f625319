import ContentPipeline
import SyncTestSupport

/// The bytes for the model's content numbers.
struct ModelContents: Sendable {
  /// Contents with smaller numbers are served, those with larger numbers only come from an editor.
  static let served = 5

  let plain: [[UInt8]]
  let packed: [[UInt8]]
  let digests: [String]
  private let packedDigests: [String]
  private let numbers: [[UInt8]: Int]

  init() throws {
    let sizes = [40, 90, 17_000, 1000, 20_000, 40, 90]
    let plain = sizes.enumerated().map { TestData.random($1, seed: UInt64($0 + 1)) }
    self.plain = plain
    packed = try plain.map { try TestData.gzip($0) }
    digests = plain.map { Digester.digest($0, .sha256).text }
    packedDigests = packed.map { Digester.digest($0, .sha256).text }
    numbers = Dictionary(uniqueKeysWithValues: plain.enumerated().map { ($1, $0) })
  }

  func bytes(_ content: Int, packed isPacked: Bool) -> [UInt8] {
    isPacked ? packed[content] : plain[content]
  }

  /// The sha256 of those bytes.
  func digest(_ content: Int, packed isPacked: Bool) -> String {
    isPacked ? packedDigests[content] : digests[content]
  }

  /// `nil` for other bytes.
  func number(_ bytes: [UInt8]) -> Int? { numbers[bytes] }
}
