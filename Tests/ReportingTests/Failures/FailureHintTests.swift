import Foundation
import SyncModel
import Testing

@testable import Reporting

/// What depends on the target, the system's error or a partial download; ``FailureCase`` has the hints without them.
@Suite struct FailureHintTests {
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

  @Test func `a folder where an archive has a file may be moved away or replaced`() {
    var target = Samples.target(0, "genes")
    target.steps = [.unpack(UnpackRules(.folder(TreeRules())))]
    let failure = TargetFailure(.outputUnwritable(path: target.output.path.text + "/y", .isFolder))
    #expect(
      FailureText.hint(failure, target: target, secrets: Samples.none)
        == "move it away, or --overwrite replaces it and removes all that is in it")
  }

  @Test func `edits in the way of an interrupted publication are not replaced by an option`() {
    let failure = TargetFailure(.filesModified(paths: ["d/x"], count: 1))
    #expect(
      FailureText.hint(failure, target: nil, secrets: Samples.none)
        == "move them away and run again; `local_changes: keep` keeps them, and `local_changes: overwrite` replaces them"
    )
    let ofTarget = FailureText.hint(failure, target: Samples.target(0, "genes"), secrets: Samples.none)
    #expect(ofTarget?.contains("--overwrite") == true)
  }

  @Test(
    "each system error has its hint",
    arguments: [
      (EMFILE, "ulimit -Hn"), (EROFS, "writable"), (EFBIG, "ulimit -f"), (EIO, "log"), (ENOENT, "run again"),
      (ETXTBSY, "program"), (EXDEV, "disk"),
    ])
  func system(code: Int32, word: String) throws {
    let failure = TargetFailure(.outputUnwritable(path: "x", .system(errno: code, text: "")))
    let hint = try #require(FailureText.hint(failure, target: nil, secrets: Samples.none))
    #expect(hint.contains(word))
  }

  @Test(arguments: [PathFault.records(text: "x"), .notExamined, .withheldIsDamaged])
  func `what concerns the state folder names its option`(fault: PathFault) throws {
    let failure = TargetFailure(.outputUnwritable(path: "x", fault))
    let hint = try #require(FailureText.hint(failure, target: nil, secrets: Samples.none))
    #expect(hint.contains("--state-dir"))
  }

  @Test(
    "a partial download changes the hint",
    arguments: [
      FailureCause.stalled(url: FailureCase.url, after: .seconds(30), received: 5, expected: nil),
      .truncated(url: FailureCase.url, received: 5, expected: 9),
      .timeout(url: FailureCase.url, phase: .total, after: .seconds(9)),
      .diskFull(path: "x"),
    ])
  func resumeHint(cause: FailureCause) throws {
    let hint = FailureText.hint(
      TargetFailure(cause, tries: 1, keptPartial: 5), target: nil, secrets: Samples.none)
    #expect(try #require(hint).contains("to resume the download"))
  }

  @Test func `after a wrong continuation the hint does not suggest resuming`() {
    let cause = FailureCause.protocolError(url: FailureCase.url, .wrongRange("it starts at 7, not 5"))
    #expect(
      FailureText.hint(
        TargetFailure(cause, tries: 3, keptPartial: 5), target: Samples.target(0, "a"), secrets: Samples.none)
        == "the server is faulty: it cannot resume a download; a list under `url` gives mirrors")
  }

  @Test func `the hint for a refusal depends on whether the target has credentials`() {
    func hint(_ authentication: Authentication?, of url: String = Samples.url) -> String? {
      FailureText.hint(
        TargetFailure(.httpStatus(403, url: url), tries: 1),
        target: Samples.target(0, "a", authentication: authentication), secrets: Samples.none)
    }
    #expect(hint(nil)?.contains("add `auth`") == true)
    #expect(hint(.bearer(ByteString("t"))) == "check the credentials in `auth`")
    #expect(hint(.netrc)?.contains("NETRC") == true)
    // A mirror of the configuration gets none of them.
    #expect(hint(.netrc, of: "https://mirror.example/f")?.contains("so not to this one") == true)
  }

  @Test(
    "with a target, the hint names keys of its definition",
    arguments: [
      (
        FailureCause.httpStatus(404, url: FailureCase.url),
        "check the URL in the manifest; a list under `url` gives mirrors"
      ),
      (.httpStatus(405, url: FailureCase.url), "check `url` and `headers` in the manifest"),
      (.httpStatus(503, url: FailureCase.url), "the server may recover: run again later, or raise `retries`"),
      (
        .connectFailed(url: FailureCase.url, text: "refused"),
        "check the host name, the network and any proxy; a list under `url` gives mirrors"
      ),
      (
        .protocolError(url: FailureCase.url, .unequalContentLengths),
        "the server is faulty; a list under `url` gives mirrors"
      ),
      (
        .sourceUnreadable(path: "x", .system("gone")),
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
      (
        DigestSource.literal(FailureCase.a),
        "if the download is right, write `md5: \(FailureCase.b)` in the manifest"
      ),
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
    let byStep = Samples.target(0, "a", steps: [.verifyDigest(.md5, source), .gunzip])
    let byRule = Samples.target(
      0, "a",
      freshness: .interval(period: .seconds(5), then: .digest(DigestRule(algorithm: .md5, expected: source))))
    for (target, step) in [(byStep, 0), (byRule, nil)] {
      let cause = FailureCause.digestMismatch(
        algorithm: .md5, expected: FailureCase.a, actual: FailureCase.b, step: step)
      #expect(FailureText.hint(TargetFailure(cause), target: target, secrets: Samples.none) == expected)
    }
    let astray = FailureCause.digestMismatch(
      algorithm: .md5, expected: FailureCase.a, actual: FailureCase.b, step: 7)
    #expect(
      FailureText.hint(TargetFailure(astray), target: byStep, secrets: Samples.none)
        == "do not trust the download; run again later")
  }

  @Test(
    arguments: [
      (
        DigestSource.literal(FailureCase.a),
        "if the download is right, write `md5: \(FailureCase.b)` in the manifest, or the published digest before gunzip"
      ),
      (
        .sidecar(Sidecar(.web("https://h/f.md5"))),
        "digests are mostly those of the download: then write this check before gunzip; or run again later, if files are "
          + "being replaced now"
      ),
    ])
  func `the hint for a wrong digest of what was unpacked names the place before that`(
    source: DigestSource, expected: String
  ) {
    let target = Samples.target(0, "a", steps: [.gunzip, .verifyDigest(.md5, source)])
    let cause = FailureCause.digestMismatch(
      algorithm: .md5, expected: FailureCase.a, actual: FailureCase.b, step: 1)
    #expect(FailureText.hint(TargetFailure(cause), target: target, secrets: Samples.none) == expected)
  }

  @Test func `a wrong tree digest has the key that it has in the manifest`() {
    var target = Samples.target(0, "a")
    target.steps = [.unpack(UnpackRules(.folder(TreeRules()))), .verifyTree(FailureCase.a)]
    let cause = FailureCause.digestMismatch(
      algorithm: .sha256, expected: FailureCase.a, actual: FailureCase.b, step: 1)
    #expect(
      FailureText.hint(TargetFailure(cause), target: target, secrets: Samples.none)
        == "if the files are right, write `tree: \(FailureCase.b)` in the manifest")
  }

  @Test func `if the locked download becomes another output, the steps are to blame`() {
    var target = Samples.target(0, "a")
    func hint(ofDownload: Bool) -> String? {
      let cause = FailureCause.lockMismatch(
        name: target.name, place: CommandPlace(), locked: FailureCase.a, actual: FailureCase.b,
        ofDownload: ofDownload)
      return FailureText.hint(TargetFailure(cause), target: target, secrets: Samples.none)
    }
    #expect(hint(ofDownload: false)?.contains("in the steps") == true)
    #expect(hint(ofDownload: true)?.contains("at the source") == true)
    // Its input may be another.
    target.source = .target(TargetID(1))
    #expect(hint(ofDownload: false)?.contains("at the source") == true)
  }

  @Test func `a command in a hint is for the manifest that was named`() {
    var manifest = Samples.manifest
    manifest.place = CommandPlace(" -f other.yaml")
    func hint(_ cause: FailureCause) -> String? {
      FailureText.hint(TargetFailure(cause), target: nil, of: manifest)
    }
    #expect(
      hint(.needsSeed(Shard(.seed, of: 16), why: .outputMissing))?
        .hasPrefix("run `syncmake run --shard seed/16 -f other.yaml` before") == true)
    #expect(
      hint(.listInvalid(source: "u", .expansion(.noSuchEntry(name: nil))))
        == "`syncmake list -f other.yaml` lists the targets that it makes")
  }

  @Test(arguments: [("www.example.org/z", true), ("data/x.org", false), ("../x/z", false), ("x.org", false)])
  func `a path that looks like a URL without its scheme is said to be a path`(
    _ path: String, _ mayBeURL: Bool
  ) {
    let cause = FailureCause.sourceUnreadable(path: path, .missing)
    let hint = FailureText.hint(
      TargetFailure(cause), target: Samples.target(0, "a"), secrets: Samples.none)
    #expect(hint?.hasPrefix("check the path, from the manifest's folder, and its permissions") == true)
    #expect(hint?.contains("`https://`") == mayBeURL)
    let unreadable = FailureCause.sourceUnreadable(path: path, .system("Permission denied"))
    #expect(
      FailureText.hint(TargetFailure(unreadable), target: nil, secrets: Samples.none)
        == "check the path, and its permissions")
  }

  @Test func `a sidecar that is not there is not called a file without mirrors`() {
    var target = Samples.target(0, "genes")
    let sums = "https://data.example/sums"
    target.steps = [.verifyDigest(.sha256, .sidecar(Sidecar(.web(sums))))]
    func hint(_ url: String) -> String? {
      FailureText.hint(
        TargetFailure(.httpStatus(404, url: url)), target: target, secrets: Samples.none)
    }
    #expect(hint(sums) == "check this URL in the steps or the rule of the target")
    #expect(
      hint("https://data.example/x") == "check the URL in the manifest; a list under `url` gives mirrors")
  }

  @Test func `a page of a list that is not there is not called a file without mirrors`() {
    let cause = FailureCause.httpStatus(404, url: "https://data.example/list?page=2")
    let target = Samples.target(0, "x", source: .unlisted(cause))
    #expect(
      FailureText.hint(TargetFailure(cause), target: target, secrets: Samples.none)
        == "check the URL of the list in the manifest; that of a further page is in the page before it")
  }

  @Test func `of what another target made, no URL can be opened`() {
    var target = Samples.target(0, "genes")
    let cause = FailureCause.corrupt(Corruption(.gzip, offset: 0, text: "not gzip data"))
    #expect(
      FailureText.hint(TargetFailure(cause), target: target, secrets: Samples.none)?.contains("open the URL")
        == true)
    target.source = .target(TargetID(1))
    #expect(
      FailureText.hint(TargetFailure(cause), target: target, secrets: Samples.none)
        == "what `from` names is not gzip: remove the gunzip step")
  }

  @Test func `of what another step made, no URL can be opened`() {
    var target = Samples.target(0, "genes")
    target.steps = [.gunzip, .verifySize(9), .gunzip]
    func hint(_ step: Int) -> String? {
      let cause = FailureCause.corrupt(Corruption(.gzip, offset: 0, text: "not gzip data", step: step))
      return FailureText.hint(TargetFailure(cause), target: target, secrets: Samples.none)
    }
    #expect(hint(2) == "what step 1 makes is not gzip: remove step 3")
    #expect(hint(0)?.hasPrefix("the download is not gzip") == true)
  }

  @Test func `a server without TLS is not a matter of certificates`() {
    let cause = FailureCause.tls(
      url: FailureCase.url, text: "error:0A00010B:SSL routines::wrong version number")
    #expect(
      FailureText.hint(TargetFailure(cause), target: nil, secrets: Samples.none)?.contains("scheme") == true)
  }

  @Test func `no pattern skips a name with a NUL`() throws {
    func hint(_ name: String) -> String? {
      let failure = TargetFailure(.archive(.controlCharacter(1), entry: name))
      return FailureText.hint(failure, target: Samples.target(0, "a"), secrets: Samples.none)
    }
    #expect(try #require(hint("a\u{1}b")).contains("exclude"))
    #expect(try #require(hint("a\0b")).contains("exclude") == false)
  }
}
