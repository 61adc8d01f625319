/// One operation on the bytes of a file while they arrive; the file appears only if all of them succeed.
public struct Step: Sendable, Equatable {
  /// As a manifest has it in its list of steps.
  let text: String

  /// Decompresses gzip, every member.
  public static let gunzip = Step(text: "gunzip")
  /// Decompresses xz and lzma, every stream.
  public static let unxz = Step(text: "unxz")
  /// Decompresses zstd, every frame.
  public static let unzstd = Step(text: "unzstd")
  /// Decompresses bzip2, every stream.
  public static let bunzip2 = Step(text: "bunzip2")
  /// Unpacks an archive into the folder that is the destination, whose name then ends in a slash.
  public static let unpack = Step(text: "unpack")

  /// Takes one file out of an archive: the only one whose path matches the pattern, such as `*/data.csv`.
  public static func unpack(_ entry: String) -> Step {
    Step(text: "{unpack: {entry: \(Written.text(entry))}}")
  }

  /// The bytes at this point have that digest.
  public static func verify(_ digest: Digest) -> Step { Step(text: "{verify: {\(digest.text)}}") }

  /// The bytes at this point are that many.
  public static func verify(size: Int64) -> Step { Step(text: "{verify: {size: \(size)}}") }

  /// The bytes at this point are signed with that minisign public key; the signature is beside the file, in a file with
  /// the suffix `.minisig`, or at `url`.
  public static func verify(minisignKey key: String, at url: String? = nil) -> Step {
    let place = url.map { ", url: \(Written.text($0))" } ?? ""
    return Step(text: "{verify: {minisign: {key: \(Written.text(key))\(place)}}}")
  }
}
