import SyncModel

/// Problems of sidecars and signatures, and advice; foreign texts unchanged.
struct SidecarWording {
  var mask: (String) -> String

  /// The text after "no digest in URL:".
  func text(_ fault: SidecarFault) -> String {
    switch fault {
    case .tooLarge(let limit): "it is larger than \(Quantity.size(Int64(limit)))"
    case .notText: "it is not text"
    case .seems(let kind): "it seems to be \(kind.words)"
    case .empty: "it is empty"
    case .noDigest: "it is text without a digest"
    case .noEntry(let name, 1): "its 1 entry does not name \(mask(name))"
    case .noEntry(let name, let count): "none of its \(count) entries names \(mask(name))"
    case .otherAlgorithm(let other, let name): "its digest for \(mask(name)) is by \(mask(other))"
    case .severalEntries(let name, let count): "its entries for \(count) files match \(mask(name))"
    case .ambiguous(let name): "it has two different digests for \(mask(name))"
    case .wrongLength(let expected, let actual): "its digest has \(actual) digits, not \(expected)"
    case .unreadableLine(let number): "line \(number) cannot be read"
    case .brokenFrame(let line, let fault):
      "its PGP clear-sign framing is broken at line \(line): \(words(fault))"
    case .brokenXML(let line, let text): "it is not valid XML at line \(line): \(mask(text))"
    case .hasDoctype: "it is XML with a DOCTYPE, which syncmake does not read"
    case .brokenJSON(let line): "it is not valid JSON at line \(line)"
    case .noValue(let pointer): "it is JSON without a value at \(mask(pointer))"
    case .notADigest(let pointer): "its value at \(mask(pointer)) is not a digest"
    }
  }

  /// The whole message; `source` is the signature's address. `isOfBody`: whether it is one of the download itself, and not
  /// of a document about it.
  func text(_ fault: SignatureFault, of source: String, isOfBody: Bool) -> String {
    let source = mask(source)
    let none = "no minisign signature in \(source):"
    return switch fault {
    case .tooLarge(let limit): "\(none) it is larger than \(Quantity.size(Int64(limit)))"
    // The beginning alone is missing.
    case .seems(let kind) where kind != .minisignSignature: "\(none) it seems to be \(kind.words)"
    case .seems, .notMinisign: "\(none) it does not begin with \"untrusted comment:\""
    case .noTrustedComment: "\(none) it has no trusted comment"
    case .unreadableLine(let number): "\(none) line \(number) cannot be read"
    case .otherKey(let expected, let actual):
      "the signature in \(source) was made with the key \(mask(actual)), not with \(mask(expected))"
    case .wrongContent where isOfBody: "the signature in \(source) does not match the download"
    case .wrongContent: "the signature in \(source) does not match the document that it is for"
    case .wrongComment: "the trusted comment in \(source) does not match its signature"
    case .tooLargeToKeep(let limit, let size):
      "the signature in \(source) signs the bytes themselves, not their digest: "
        + "\(Quantity.size(size)) exceed the \(Quantity.size(limit)) that can be checked this way"
    }
  }

  private func words(_ fault: FrameFault) -> String {
    switch fault {
    case .textOutside: "this text is not signed"
    case .header: "\"Hash: NAME\" or an empty line is missing"
    case .dash: "a line that begins with a dash is not escaped"
    case .noSignature: "the signature is missing"
    case .noEnd: "the signature has no end"
    }
  }

  /// The next step.
  static func hint(_ fault: SidecarFault) -> String {
    switch fault {
    case .seems(.json):
      "`json: /POINTER` beside `url` selects the digest in the document"
    case .seems(.sum), .seems(.cksum):
      "such sums do not detect deliberate changes; look for another file with digests"
    case .seems(.minisignSignature): "`verify: {minisign: {key: KEY, url: URL}}` checks such a signature"
    case .seems(.pgpSignature), .seems(.sshSignature), .seems(.pem), .seems(.der):
      "a sidecar holds digests; look for the file that this signature signs"
    case .tooLarge, .notText, .seems, .empty, .noDigest: "check the URL of the sidecar"
    case .noEntry: "check that it names the file; `entry: NAME` beside `url` or `target` selects the line"
    case .severalEntries: "make `entry` longer so that it matches only one name"
    case .ambiguous:
      "if they are in several folders, `entry: FOLDER/NAME` beside `url` selects one; otherwise ask the publisher"
    case .otherAlgorithm:
      "look for another file with digests, or name the algorithm of this one in the manifest"
    case .wrongLength: "check which algorithm the sidecar uses"
    case .unreadableLine:
      "valid lines are `HEX  NAME`, `ALGORITHM (NAME) = HEX`, `NAME: HEX` or only the digest"
    case .brokenFrame: "the file was damaged or edited by hand: ask the publisher for a valid one"
    case .brokenXML, .hasDoctype, .brokenJSON: "open the URL to see what the server sends"
    case .noValue, .notADigest:
      "`json` is a pointer such as `/files/0/checksum` to a string that holds the digest"
    }
  }

  /// The next step.
  static func hint(_ fault: SignatureFault) -> String {
    switch fault {
    case .seems(.pgpSignature), .seems(.sshSignature): "only signatures by minisign can be checked"
    case .tooLarge, .seems, .notMinisign, .unreadableLine: "check the URL of the signature"
    case .noTrustedComment:
      "signatures by OpenBSD's signify have none; syncmake checks signatures by minisign"
    case .otherKey:
      "check whether the publisher has a new key, and whether the signature belongs to this file"
    case .wrongContent: "do not trust the download; if the publisher is replacing files now, run again later"
    case .wrongComment: "do not trust the signature; ask the publisher for a valid one"
    case .tooLargeToKeep:
      "ask the publisher for a signature of the digest (minisign makes one unless -l is given)"
    }
  }
}
