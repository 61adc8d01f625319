import SyncModel

@testable import Execution

/// A sidecar in a publisher's form, rebuilt with our own names and values.
struct PublishedSidecar: CustomStringConvertible {
  enum Outcome {
    /// It gives the digest of the wanted file.
    case wanted
    case fault(SidecarFault)
  }

  /// The publisher of such a file, and its name.
  var publisher: String
  var algorithm: DigestAlgorithm
  /// The last part of the wanted file's URL.
  var file: String
  var choice = Sidecar.Choice.ownName
  var bytes: [UInt8]
  var outcome = Outcome.wanted

  var description: String { publisher }

  init(
    _ publisher: String, _ algorithm: DigestAlgorithm, _ file: String, _ text: String,
    entry: String? = nil, json: String? = nil, is outcome: Outcome = .wanted
  ) {
    self.init(publisher, algorithm, file, bytes: Array(text.utf8), entry: entry, json: json, is: outcome)
  }

  init(
    _ publisher: String, _ algorithm: DigestAlgorithm, _ file: String, bytes: [UInt8],
    entry: String? = nil, json: String? = nil, is outcome: Outcome = .wanted
  ) {
    (self.publisher, self.algorithm, self.file) = (publisher, algorithm, file)
    (self.bytes, self.outcome) = (bytes, outcome)
    if let entry { choice = .entry(EntryPattern(entry)) }
    if let json, let pointer = JSONPointer(json) { choice = .json(pointer) }
  }

  /// The digest of the wanted file.
  static func wanted(_ algorithm: DigestAlgorithm) -> String {
    switch algorithm {
    case .md5: md5
    case .sha1: sha1
    case .sha256: sha256
    case .sha512: sha512
    }
  }

  static let md5 = "1fde1605c00118f1feefe9cc93c62f80"
  static let sha1 = "331cf4e6d3b1531d4b45990762993e6de4b349b7"
  static let sha256 = "746067aa41664b81a1fa55739cff0d8b23b34909839666f73bef6b22b13d9202"
  static let sha512 =
    "f9577f3eb862c5abf6c0aaaa992d94b69cf22ce433069df06dbf063a5bbf522e"
    + "18fdbb3795a4bfda8c01cda7404d65c123b49962fba03ef76e70e68bf5ab4ef5"
  // The digests of other files.
  static let notMd5 = "31d20c5cb20ce4fe9200a542ddac7273"
  static let notSha1 = "dd7984d2c2688608734ee94abd0a0fef43654201"
  static let notSha256 = "a1621be95040239ee14362c16e20510ddc20f527d772d823b2a1679b33f5cd74"
  static let notSha512 =
    "667c1b1d0c49e9e7514378b83318a5681183c2c44a5889e12b7ce209349b8fff"
    + "0335c2c7ccaa98a214b9e01b8be461a7571b4b91005e17b5de17dd1b3a0adbbb"
  // The wanted ones in base64.
  static let base64Sha256 = "dGBnqkFmS4Gh+lVznP8NiyOzSQmDlmb3O+9rIrE9kgI="
  static let base64Sha512 =
    "+Vd/Prhixav2wKqqmS2UtpzyLOQzBp3wbb8GOlu/Ui4Y"
    + "/bs3laS/2owBzadATWXBI7SZYvugPvducOaL9atO9Q=="

  /// `hex` in upper case, in groups of `size` digits and lines of `count` groups, as `gpg --print-md` writes it.
  static func grouped(_ hex: String, by size: Int, lines count: Int = 99, indent: Int = 0) -> String {
    let digits = Array(hex.uppercased())
    let groups = stride(from: 0, to: digits.count, by: size).map {
      String(digits[$0..<min($0 + size, digits.count)])
    }
    let lines = stride(from: 0, to: groups.count, by: count).map {
      groups[$0..<min($0 + count, groups.count)].joined(separator: " ")
    }
    return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
  }

  /// A clear-signed message around `text`, which ends in a line feed; the signature is invalid.
  static func clearSigned(_ text: String, hash: String = "SHA256") -> String {
    """
    -----BEGIN PGP SIGNED MESSAGE-----
    Hash: \(hash)

    \(text)-----BEGIN PGP SIGNATURE-----

    iQIzBAEBCAAdFiEEc3luY21ha2Ugc3luY21ha2Ugc3luYwUCZQAAAAAKCRBzeW5j
    =abcd
    -----END PGP SIGNATURE-----

    """
  }
}
