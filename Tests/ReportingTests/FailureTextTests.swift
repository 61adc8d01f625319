import Foundation
import SyncModel
import Testing

@testable import Reporting

/// A cause with its message and its hint for an unknown target.
struct FailureCase: Sendable, CustomTestStringConvertible {
  var cause: FailureCause
  var message: String
  var hint: String?

  init(_ cause: FailureCause, _ message: String, _ hint: String?) {
    self.cause = cause
    self.message = message
    self.hint = hint
  }

  var testDescription: String { message }
}

@Suite struct FailureTextTests {
  static let url = "https://h/f.gz"
  static let a = Samples.hex("aa", .md5)
  static let b = Samples.hex("bb", .md5)

  static let network: [FailureCase] = [
    FailureCase(
      .httpStatus(401, url: url), "HTTP status 401 (unauthorized) from https://h/f.gz",
      "if the server requires a login, add `auth` to the target"),
    FailureCase(
      .httpStatus(404, url: url), "HTTP status 404 (not found) from https://h/f.gz",
      "check the URL"),
    FailureCase(
      .httpStatus(503, url: url), "HTTP status 503 (service unavailable) from https://h/f.gz",
      "the server may recover: run again later"),
    FailureCase(
      .httpStatus(599, url: url), "HTTP status 599 from https://h/f.gz",
      "request the URL with curl -v to see the server's answer"),
    FailureCase(
      .retryAfter(seconds: 7200, status: 429, url: url),
      "HTTP status 429 (too many requests) from https://h/f.gz; it asks to wait 2h, which is more than 60 s",
      "run again in 2h"),
    FailureCase(
      .connectFailed(url: url, text: "Connection refused"),
      "cannot connect to https://h/f.gz: Connection refused",
      "check the host name, the network and any proxy"),
    FailureCase(
      .timeout(url: url, phase: "connect", after: .seconds(10)),
      "no connection to https://h/f.gz within 10 s",
      "`timeout: {connect: …}` allows more time"),
    FailureCase(
      .timeout(url: url, phase: "total", after: .seconds(3600)),
      "the reply from https://h/f.gz took more than 1h",
      "`timeout: {total: …}` allows more time"),
    FailureCase(
      .stalled(url: url, after: .seconds(30), received: 0, expected: nil),
      "no data came from https://h/f.gz for 30 s",
      "run again, or let `timeout: {stall: …}` allow longer pauses"),
    FailureCase(
      .stalled(url: url, after: .seconds(30), received: 1_234_567, expected: 5_000_000),
      "no more data came from https://h/f.gz for 30 s, after 1.2 MB of 5.0 MB",
      "run again, or let `timeout: {stall: …}` allow longer pauses"),
    FailureCase(
      .tls(url: url, text: "certificate has expired"),
      "no secure connection to https://h/f.gz: certificate has expired",
      "syncmake always verifies certificates; CURL_CA_BUNDLE or SSL_CERT_FILE can name a file with other authorities"
    ),
    FailureCase(
      .truncated(url: url, received: 12_345_678, expected: 12_345_679),
      "the reply from https://h/f.gz broke off after 12345678 bytes of 12345679 bytes",
      "run again; if the failure repeats, the server or a proxy truncates replies"),
    FailureCase(
      .truncated(url: url, received: 0, expected: nil), "the reply from https://h/f.gz broke off after 0 B",
      "run again; if the failure repeats, the server or a proxy truncates replies"),
    FailureCase(
      .lengthUnproven(url: url, received: 456),
      "nothing proves that the 456 B from https://h/f.gz are the complete file",
      "`unproven_length: accept` accepts such replies; a `verify` step checks them"),
    FailureCase(
      .offline, "this needs a request, but --offline is set",
      "run again without --offline (--frozen implies --offline)"),
  ]

  static let protocols: [FailureCase] = [
    FailureCase(
      .protocolError(url: url, .unequalContentLengths),
      "the reply from https://h/f.gz has two different lengths",
      "the server is faulty"),
    FailureCase(
      .protocolError(url: url, .headerTooLarge(limit: 300_000)),
      "the header of the reply from https://h/f.gz is larger than 300.0 kB",
      "the server is faulty"),
    FailureCase(
      .protocolError(url: url, .unexpectedStatus(304)),
      "HTTP status 304 (not modified) from https://h/f.gz, which was not requested",
      "the server or a cache in front of it is faulty: run again later"),
    FailureCase(
      .protocolError(url: url, .wrongRange("it starts at 7, not 5")),
      "the reply from https://h/f.gz does not continue the partial download: it starts at 7, not 5",
      "run again: the download starts over"),
    FailureCase(
      .protocolError(url: url, .contentEncoding("br")),
      "the reply from https://h/f.gz is encoded as br, which was not requested",
      "the server ignores `Accept-Encoding: identity`; look for a URL of the unencoded file"),
    FailureCase(
      .protocolError(url: url, .malformed("Received HTTP/0.9")),
      "the reply from https://h/f.gz is not valid: Received HTTP/0.9",
      "check that the URL points to a web server"),
    FailureCase(
      .redirectRefused(from: url, to: "https://h/g", .tooMany),
      "more than 10 redirects, the last from https://h/f.gz to https://h/g",
      "open the URL, and write the file's final address in the manifest"),
    FailureCase(
      .redirectRefused(from: url, to: "https://h/g", .circle),
      "more than 10 redirects in a loop: the last is from https://h/f.gz to https://h/g",
      "the server redirects every request: open the URL in a browser to see what it expects"),
    FailureCase(
      .redirectRefused(from: url, to: "http://h/g", .downgrade),
      "refused the redirect from https://h/f.gz to http://h/g: it goes from https to http",
      "if you trust that address, write it in the manifest"),
    FailureCase(
      .redirectRefused(from: url, to: "ftp://h/g", .scheme),
      "refused the redirect from https://h/f.gz to ftp://h/g: it is neither http nor https",
      "open the URL, and write the file's final address in the manifest"),
    FailureCase(
      .redirectRefused(from: url, to: "", .location),
      "the redirect from https://h/f.gz has no target address",
      "open the URL, and write the file's final address in the manifest"),
    FailureCase(
      .redirectRefused(from: url, to: "http://[", .location),
      "the redirect from https://h/f.gz leads to http://[, which is not a URL",
      "open the URL, and write the file's final address in the manifest"),
  ]

  static let content: [FailureCase] = [
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
    FailureCase(
      .corrupt(Corruption(.gzip, offset: 0, text: "no gzip header")),
      "not valid gzip at byte 0: no gzip header",
      "the download is not gzip, maybe it is a web page: open the URL, or remove the gunzip step"),
    FailureCase(
      .corrupt(Corruption(.gzip, offset: 4096, text: "wrong checksum")),
      "not valid gzip at byte 4096: wrong checksum",
      "the published file is damaged; a `verify` step finds that before this step"),
    FailureCase(
      .corrupt(Corruption(.xz, offset: 4096, text: "wrong checksum")),
      "not valid xz at byte 4096: wrong checksum",
      "the published file is damaged; a `verify` step finds that before this step"),
    FailureCase(
      .corrupt(Corruption(.zstd, offset: 1, text: "not zstd data")),
      "not valid zstd at byte 1: not zstd data",
      "the download is not zstd, maybe it is a web page: open the URL, or remove the unzstd step"),
    FailureCase(
      .archive(.leavesFolder, entry: "../x"),
      #"the archive is not safe: the entry "../x": its name has a part "..""#,
      #"if nobody needs this entry, `exclude: ["/../x"]` in `unpack` skips it"#),
    FailureCase(
      .archive(.device, entry: "./dev/a*b\u{1b}"),
      #"the archive is not safe: the entry "./dev/a*b\u{1B}": it is a device"#,
      #"if nobody needs this entry, `exclude: ["/dev/a\*b?"]` in `unpack` skips it"#),
    FailureCase(
      .archive(.strayBytes(at: 77)), "the archive is not safe: the bytes at 77 belong to no member",
      "the published file is damaged or unusual; a `verify` step before this one shows whether it is the right one"
    ),
    FailureCase(
      .archive(.damagedCompression(Corruption(.xz, offset: 40, text: "invalid data"))),
      "the archive cannot be read: not valid xz at byte 40: invalid data",
      "the published file is damaged or unusual; a `verify` step before this one shows whether it is the right one"
    ),
    FailureCase(
      .archive(.otherFormat(named: .tarGzip, found: .zip)),
      "the archive cannot be read: its name says tar.gz, but it begins like a zip file",
      "if that is right, write `format: zip` in `unpack`"),
    FailureCase(
      .archive(.otherFormat(named: .tarGzip, found: nil)),
      "the archive cannot be read: its name says tar.gz, but it does not begin like one",
      "maybe it is a web page: open the URL"),
    FailureCase(
      .archive(.noMatch(pattern: "*/rg", nearest: ["a/b/rg", "a/rgg"])),
      #"no file of the archive matches "*/rg"; the nearest are "a/b/rg", "a/rgg""#,
      "correct `entry` in the manifest"),
    FailureCase(
      .archive(.noMatch(pattern: "*/rg", nearest: [])), #"no file of the archive matches "*/rg""#,
      "check `entry` in the manifest"),
    FailureCase(
      .archive(.severalMatches(pattern: "rg", names: ["a/rg", "b/rg", "c/rg"], count: 5)),
      #"5 files of the archive match "rg": "a/rg", "b/rg", "c/rg" and 2 more"#,
      "make `entry` longer so that it matches only one file"),
    FailureCase(
      .archive(.matchIsLink(pattern: "rg", target: "rg-14"), entry: "a/rg"),
      #"only the link "a/rg" matches "rg"; it leads to "rg-14""#, "let `entry` name the file itself: rg-14"),
    FailureCase(
      .archive(.tooManyEntries(limit: 5)), "the archive has more than 5 entries (max_files)",
      "raise `max_files` in `unpack` if the archive may be that large"),
    FailureCase(
      .libraryMissing(name: "libarchive.so.13", purpose: "to unpack 7z"),
      "the library libarchive.so.13 is needed to unpack 7z and cannot be loaded",
      "install it, then run again: libarchive13 on Debian and Ubuntu, libarchive elsewhere"),
    FailureCase(
      .windowTooLarge(needed: 256 << 20, limit: 128 << 20),
      "the download needs a window of 256 MiB, but only 128 MiB are allowed",
      "`unzstd: {window: 2GiB}` allows it and uses that much memory"),
    FailureCase(
      .windowTooLarge(needed: 1 << 40, limit: 10_000),
      "the download needs a window of 1048576 MiB, but only 10 KiB are allowed",
      "this is more than zstd allows: look for the file in another format"),
    FailureCase(
      .decoderMissing(.bzip2, name: "libbz2.so.1.0"),
      "bunzip2 needs the library libbz2.so.1.0, which cannot be loaded",
      "install it, then run again: libbz2-1.0 on Debian and Ubuntu, bzip2-libs on Fedora, bzip2 elsewhere"),
    FailureCase(
      .libraryMissing(name: "libcurl.so.4", purpose: "to send requests"),
      "the library libcurl.so.4 is needed to send requests and cannot be loaded",
      "install it, then run again: libcurl4 on Debian and Ubuntu, libcurl on Fedora and Alpine"),
    FailureCase(
      .libraryMissing(name: "libexpat.so.1", purpose: "to read the XML of \(url)"),
      "the library libexpat.so.1 is needed to read the XML of https://h/f.gz and cannot be loaded",
      "install it, then run again: libexpat1 on Debian and Ubuntu, expat elsewhere"),
    FailureCase(
      .libraryMissing(name: "libcrypto.so.3", purpose: "to check the signature in \(url)"),
      "the library libcrypto.so.3 is needed to check the signature in https://h/f.gz and cannot be loaded",
      "install it, then run again: libssl3 on Debian and Ubuntu, openssl-libs on Fedora, openssl elsewhere"),
    FailureCase(
      .libraryMissing(name: "libsqlite3.so.0", purpose: "to read and write the state"),
      "the library libsqlite3.so.0 is needed to read and write the state and cannot be loaded",
      "install it, then run again: libsqlite3-0 on Debian and Ubuntu, sqlite-libs on Fedora and Alpine, "
        + "sqlite elsewhere"),
    FailureCase(
      .libraryMissing(name: "libother.so", purpose: "to go on"),
      "the library libother.so is needed to go on and cannot be loaded", "install it, then run again"),
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
      "check that it names the file; `entry: NAME` beside `url` selects the line"),
    FailureCase(
      .sidecarInvalid(source: url, .noEntry(name: "f.gz", count: 1)),
      "no digest in https://h/f.gz: its 1 entry does not name f.gz",
      "check that it names the file; `entry: NAME` beside `url` selects the line"),
    FailureCase(
      .sidecarInvalid(source: url, .ambiguous(name: "f.gz")),
      "no digest in https://h/f.gz: it has two different digests for f.gz",
      "write the digest itself in the manifest, or ask the publisher which one is right"),
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
      "such sums do not detect deliberate changes; look for another file with digests, or remove the step"
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
  ]

  static let signatures: [FailureCase] = [
    FailureCase(
      .signatureInvalid(source: url, .wrongContent, step: 1),
      "the signature in https://h/f.gz does not match the download at step 2",
      "do not trust the download; if the publisher is replacing files now, run again later"),
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

  static let files: [FailureCase] = [
    FailureCase(
      .outputModified(expected: a, actual: b), "the output was edited locally: its sha256 was \(a), now \(b)",
      "--overwrite replaces it, `local_changes: keep` keeps it; or move it away and run again"),
    FailureCase(
      .outputModified(expected: a, actual: nil),
      "the output was edited locally: its sha256 is no longer \(a)",
      "--overwrite replaces it, `local_changes: keep` keeps it; or move it away and run again"),
    FailureCase(
      .outputUnwritable(path: "data/x", .isLink), "cannot write data/x: it is a symbolic link",
      "syncmake never writes through links: remove it"),
    FailureCase(
      .outputUnwritable(path: "data/x", .isFolder), "cannot write data/x: it is a folder",
      "remove it"),
    FailureCase(
      .outputUnwritable(path: "data/x", .isDevice), "cannot write data/x: it is not a regular file",
      "remove it"),
    FailureCase(
      .outputUnwritable(path: "data/x", .parentIsLink("data")),
      "cannot write data/x: data is a symbolic link",
      "syncmake never writes through links: remove it"),
    FailureCase(
      .outputUnwritable(path: "data/x", .parentIsNotFolder("data")),
      "cannot write data/x: data is not a folder",
      "remove it"),
    FailureCase(
      .outputUnwritable(path: "data/x", .system(errno: 13, text: "Permission denied")),
      "cannot write data/x: Permission denied (error 13)", "check the permissions of the folder"),
    FailureCase(
      .diskFull(path: "data/x"), "no space is left to write data/x", "free some space and run again"),
    FailureCase(
      .sourceUnreadable(path: "in/x", text: "No such file or directory"),
      "cannot read in/x: No such file or directory",
      "check the path, and its permissions"),
    FailureCase(
      .internalError("queue is empty"), "internal error: queue is empty",
      "this is a bug in syncmake: please report it with the output of --verbose"),
  ]

  static let all = network + protocols + content + signatures + files

  @Test("every cause has its words and its advice", arguments: all)
  func words(failure: FailureCase) {
    #expect(FailureText.message(failure.cause, secrets: Samples.none) == failure.message)
    #expect(
      FailureText.hint(TargetFailure(failure.cause, tries: 1), target: nil, secrets: Samples.none)
        == failure.hint)
  }

  @Test(
    "the hint for an output differs from that for a path outside the manifest",
    arguments: [
      (PathFault.isFolder, "remove it, or choose another `output`", "remove it"),
      (.system(errno: ENAMETOOLONG, text: ""), "choose a shorter `output`", "choose a shorter path"),
      (
        .system(errno: ENOTDIR, text: ""), "remove what is at this path, or choose another `output`",
        "remove what is at this path"
      ),
    ])
  func place(fault: PathFault, ofOutput: String, otherwise: String) {
    let target = Samples.target(0, "genes")
    let output = TargetFailure(.outputUnwritable(path: target.output.path.text, fault))
    let other = TargetFailure(.outputUnwritable(path: ".syncmake/staging", fault))
    #expect(FailureText.hint(output, target: target, secrets: Samples.none) == ofOutput)
    #expect(FailureText.hint(other, target: target, secrets: Samples.none) == otherwise)
  }

  @Test(
    "each system error has its hint",
    arguments: [
      (EMFILE, "ulimit -Hn"), (EROFS, "writable"), (EFBIG, "ulimit -f"), (EIO, "log"), (ENOENT, "run again"),
      (ETXTBSY, "program"), (0, "--state-dir"), (EXDEV, "disk"),
    ])
  func system(code: Int32, word: String) throws {
    let failure = TargetFailure(.outputUnwritable(path: "x", .system(errno: code, text: "")))
    let hint = try #require(FailureText.hint(failure, target: nil, secrets: Samples.none))
    #expect(hint.contains(word))
  }

  @Test func `messages are lower case, without a full stop, on one line`() {
    for text in Self.all.flatMap({ [$0.message, $0.hint].compactMap(\.self) }) {
      let first = text.prefix { $0 != " " }
      #expect(first == first.lowercased() || ["HTTP"].contains(first), "\(text)")
      #expect(!text.hasSuffix(".") && !text.contains("\n"), "\(text)")
    }
  }

  @Test(
    "the message names the files that are kept",
    arguments: [
      (TargetFailure(.offline), nil), (TargetFailure(.offline, keptOutput: true), "the old file is kept"),
      (
        TargetFailure(.offline, keptPartial: 12_300_000),
        "12.3 MB of the download are kept; the next run resumes there"
      ),
      (
        TargetFailure(.offline, keptOutput: true, keptPartial: 5),
        "the old file is kept; 5 B of the download are kept; the next run resumes there"
      ),
      (
        TargetFailure(.outputModified(expected: a, actual: nil), keptOutput: true),
        "the edited file is unchanged"
      ),
      (
        TargetFailure(.outputModified(expected: HexDigest(bytes: []), actual: nil), keptPartial: 5),
        "that file is unchanged; 5 B of the download are kept; the next run resumes there"
      ),
    ])
  func kept(failure: TargetFailure, expected: String?) {
    #expect(FailureText.kept(failure) == expected)
  }

  @Test func `several tries are counted in the message`() {
    let cause = FailureCause.httpStatus(500, url: Self.url)
    #expect(
      FailureText.message(TargetFailure(cause, tries: 5), secrets: Samples.none)
        == "HTTP status 500 (internal server error) from https://h/f.gz (5 tries)")
    #expect(
      FailureText.message(TargetFailure(cause, tries: 1), secrets: Samples.none)
        == FailureText.message(cause, secrets: Samples.none))
  }

  @Test(
    "a partial download changes the hint",
    arguments: [
      FailureCause.stalled(url: url, after: .seconds(30), received: 5, expected: nil),
      .truncated(url: url, received: 5, expected: 9), .timeout(url: url, phase: "total", after: .seconds(9)),
      .diskFull(path: "x"),
    ])
  func resumeHint(cause: FailureCause) throws {
    let hint = FailureText.hint(
      TargetFailure(cause, tries: 1, keptPartial: 5), target: nil, secrets: Samples.none)
    #expect(try #require(hint).contains("to resume the download"))
  }

  @Test func `after a wrong continuation the hint does not suggest resuming`() {
    let cause = FailureCause.protocolError(url: Self.url, .wrongRange("it starts at 7, not 5"))
    #expect(
      FailureText.hint(
        TargetFailure(cause, tries: 3, keptPartial: 5), target: Samples.target(0, "a"), secrets: Samples.none)
        == "the server is faulty: it cannot resume a download; a list under `url` gives mirrors")
  }

  @Test func `the hint for a refusal depends on whether the target has credentials`() {
    let failure = TargetFailure(.httpStatus(403, url: Self.url), tries: 1)
    let anonymous = Samples.target(0, "a")
    let known = Samples.target(0, "a", authentication: .netrc)
    #expect(
      FailureText.hint(failure, target: anonymous, secrets: Samples.none)?.contains("add `auth`") == true)
    #expect(
      FailureText.hint(failure, target: known, secrets: Samples.none) == "check the credentials in `auth`")
  }

  @Test(
    "with a target, the hint names keys of its definition",
    arguments: [
      (
        FailureCause.httpStatus(404, url: url),
        "check the URL in the manifest; a list under `url` gives mirrors"
      ),
      (.httpStatus(405, url: url), "check `url` and `headers` in the manifest"),
      (.httpStatus(503, url: url), "the server may recover: run again later, or raise `retries`"),
      (
        .connectFailed(url: url, text: "refused"),
        "check the host name, the network and any proxy; a list under `url` gives mirrors"
      ),
      (
        .protocolError(url: url, .unequalContentLengths),
        "the server is faulty; a list under `url` gives mirrors"
      ),
      (
        .sourceUnreadable(path: "x", text: "gone"),
        "check the path, from the manifest's folder, and its permissions"
      ),
    ])
  func targetHint(cause: FailureCause, expected: String) {
    let (target, failure) = (Samples.target(0, "a"), TargetFailure(cause))
    #expect(FailureText.hint(failure, target: target, secrets: Samples.none) == expected)
    let bare = FailureText.hint(failure, target: nil, secrets: Samples.none)
    for word in ["manifest", "`url`", "`retries`"] { #expect(bare?.contains(word) != true) }
  }

  @Test(
    "the hint for a wrong digest depends on the source of the right one",
    arguments: [
      (DigestSource.literal(a), "if the download is right, write `md5: \(b)` in the manifest"),
      (
        .sidecar(Sidecar(.web("https://h/f.md5"))),
        "the file and the sidecar do not match; maybe they are being replaced now: run again later"
      ),
      (
        .entry(TargetID(0), name: "f"),
        "the file does not match the list of digests; maybe only one of them is published yet: run again later"
      ),
    ])
  func digestHint(source: DigestSource, expected: String) {
    let byStep = Samples.target(0, "a", steps: [.gunzip, .verifyDigest(.md5, source)])
    let byRule = Samples.target(
      0, "a",
      freshness: .interval(period: .seconds(5), then: .digest(DigestRule(algorithm: .md5, expected: source))))
    for (target, step) in [(byStep, 1), (byRule, nil)] {
      let cause = FailureCause.digestMismatch(algorithm: .md5, expected: Self.a, actual: Self.b, step: step)
      #expect(FailureText.hint(TargetFailure(cause), target: target, secrets: Samples.none) == expected)
    }
    let astray = FailureCause.digestMismatch(algorithm: .md5, expected: Self.a, actual: Self.b, step: 7)
    #expect(
      FailureText.hint(TargetFailure(astray), target: byStep, secrets: Samples.none)
        == "do not trust the download; run again later")
  }
}
