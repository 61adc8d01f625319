import SyncModel

@testable import Reporting

/// Failures of what proves a download: sizes, digests, sidecars and signatures.
extension FailureCase {
  static let checks: [FailureCase] = [
    FailureCase(
      .tooLarge(limit: 500_000_000, size: 3_100_000_000), "3.1 GB exceed the limit of 500.0 MB (max_size)",
      "raise `max_size` if the file may be that large"),
    FailureCase(
      .digestMismatch(algorithm: .md5, expected: a, actual: b, step: 0),
      "wrong md5 at step 1: expected \(a), got \(b)", "do not trust the download; run again later"),
    FailureCase(
      .digestMismatch(algorithm: .md5, expected: a, actual: b, step: nil),
      "wrong md5: expected \(a), got \(b)",
      "do not trust the download; run again later"),
    FailureCase(
      .serverDigestMismatch(url: url, ServerDigest(.contentMD5, .md5, a), actual: b),
      "the body from https://h/f.gz does not match its Content-MD5: expected md5 \(a), got \(b)",
      "the server or a cache in front of it is faulty: run again later"),
    FailureCase(
      .sizeMismatch(expected: 100, actual: 150, step: 0),
      "wrong size at step 1: expected 100 bytes, got more",
      "if the download is right, write its full size in the manifest"),
    FailureCase(
      .sizeMismatch(expected: 100, actual: 90, step: 2), "wrong size at step 3: expected 100 bytes, got 90",
      "if the download is right, write `size: 90` in the manifest"),
  ]

  static let sidecars: [FailureCase] = [
    FailureCase(
      .sidecarInvalid(source: url, .tooLarge(limit: 1_048_576)),
      "no digest in https://h/f.gz: it is larger than 1.0 MB", "check the URL of the sidecar"),
    FailureCase(
      .sidecarInvalid(source: url, .notText), "no digest in https://h/f.gz: it is not text",
      "check the URL of the sidecar"),
    FailureCase(
      .sidecarInvalid(source: url, .seems(.html)), "no digest in https://h/f.gz: it seems to be an HTML page",
      "check the URL of the sidecar"),
    FailureCase(
      .sidecarInvalid(source: url, .empty), "no digest in https://h/f.gz: it is empty",
      "check the URL of the sidecar"),
    FailureCase(
      .sidecarInvalid(source: url, .noEntry(name: "f.gz", count: 12)),
      "no digest in https://h/f.gz: none of its 12 entries names f.gz",
      "check that it names the file; `entry: NAME` beside `url` or `target` selects the line"),
    FailureCase(
      .sidecarInvalid(source: url, .noEntry(name: "f.gz", count: 1)),
      "no digest in https://h/f.gz: its 1 entry does not name f.gz",
      "check that it names the file; `entry: NAME` beside `url` or `target` selects the line"),
    FailureCase(
      .sidecarInvalid(source: url, .ambiguous(name: "f.gz")),
      "no digest in https://h/f.gz: it has two different digests for f.gz",
      "if they are in several folders, `entry: FOLDER/NAME` beside `url` selects one; otherwise ask the publisher"
    ),
    FailureCase(
      .sidecarInvalid(source: url, .wrongLength(expected: 32, actual: 40)),
      "no digest in https://h/f.gz: its digest has 40 digits, not 32",
      "check which algorithm the sidecar uses"),
    FailureCase(
      .sidecarInvalid(source: url, .unreadableLine(number: 3)),
      "no digest in https://h/f.gz: line 3 cannot be read",
      "valid lines are `HEX  NAME`, `ALGORITHM (NAME) = HEX`, `NAME: HEX` or only the digest"),
    FailureCase(
      .sidecarInvalid(source: url, .seems(.sum)),
      "no digest in https://h/f.gz: it seems to be the sums of `sum`, which are not digests",
      "such sums do not detect deliberate changes; look for another file with digests"
    ),
    FailureCase(
      .sidecarInvalid(source: url, .seems(.pgpSignature)),
      "no digest in https://h/f.gz: it seems to be a PGP signature",
      "a sidecar holds digests; look for the file that this signature signs"),
    FailureCase(
      .sidecarInvalid(source: url, .seems(.json)),
      "no digest in https://h/f.gz: it seems to be a JSON document",
      "`json: /POINTER` beside `url` selects the digest in the document"),
    FailureCase(
      .sidecarInvalid(source: url, .brokenFrame(line: 4, .dash)),
      "no digest in https://h/f.gz: its PGP clear-sign framing is broken at line 4: a line that begins "
        + "with a dash is not escaped",
      "the file was damaged or edited by hand: ask the publisher for a valid one"),
    FailureCase(
      .sidecarInvalid(source: url, .severalEntries(name: "x-*", count: 2)),
      "no digest in https://h/f.gz: its entries for 2 files match x-*",
      "make `entry` longer so that it matches only one name"),
    FailureCase(
      .sidecarInvalid(source: url, .otherAlgorithm("sm3", name: "f.gz")),
      "no digest in https://h/f.gz: its digest for f.gz is by sm3",
      "look for another file with digests, or name the algorithm of this one in the manifest"),
  ]

  static let signatures: [FailureCase] = [
    FailureCase(
      .signatureInvalid(source: url, .wrongContent, step: 1),
      "the signature in https://h/f.gz does not match the download at step 2",
      "do not trust the download; if the publisher is replacing files now, run again later"),
    FailureCase(
      .signatureInvalid(source: url, .wrongContent, step: nil),
      "the signature in https://h/f.gz does not match the document that it is for",
      "do not trust the document; if the publisher is replacing files now, run again later"),
    FailureCase(
      .signatureInvalid(source: url, .seems(.sshSignature), step: 0),
      "no minisign signature in https://h/f.gz: it seems to be an SSH signature",
      "only signatures by minisign can be checked"),
    FailureCase(
      .signatureInvalid(source: url, .seems(.minisignSignature), step: 0),
      "no minisign signature in https://h/f.gz: it does not begin with \"untrusted comment:\"",
      "check the URL of the signature"),
    FailureCase(
      .signatureInvalid(source: url, .wrongComment, step: nil),
      "the trusted comment in https://h/f.gz does not match its signature",
      "do not trust the signature; ask the publisher for a valid one"),
    FailureCase(
      .signatureInvalid(source: url, .otherKey(expected: "0A", actual: "0B"), step: nil),
      "the signature in https://h/f.gz was made with the key 0B, not with 0A",
      "check whether the publisher has a new key, and whether the signature belongs to this file"),
    FailureCase(
      .signatureInvalid(source: url, .seems(.html), step: 0),
      "no minisign signature in https://h/f.gz: it seems to be an HTML page",
      "check the URL of the signature"),
    FailureCase(
      .signatureInvalid(source: url, .tooLargeToKeep(limit: 16_777_216, size: 33_554_432), step: nil),
      "the signature in https://h/f.gz signs the bytes themselves, not their digest: 33.6 MB exceed the 16.8 MB "
        + "that can be checked this way",
      "ask the publisher for a signature of the digest (minisign makes one unless -l is given)"),
  ]
}
