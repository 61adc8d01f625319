import SyncModel
import Testing

@testable import Reporting

@Suite struct ReasonTextTests {
  static let a = Samples.hex("aa", .md5)
  static let b = Samples.hex("bb", .md5)
  static let genes = TargetName("genes")

  static func stamp(_ text: String) -> Validators { Validators(fileStamp: text, url: "in.txt") }

  static let fresh: [(FreshReason, String)] = [
    (.assumedFresh, "treated as fresh because of -o"),
    (.leftToSeed, "as seed left it; a shard does not ask its source"),
    (.keptModified, "edited locally, and kept because of local_changes: keep"),
    (.inputsUnchanged, "its inputs have not changed"),
    (.notModified(Samples.validators("\"a1\"", "Sun, 06 Nov 1994 08:49:37 GMT")), "ETag \"a1\" is unchanged"),
    (
      .notModified(Samples.validators(nil, "Sun, 06 Nov 1994 08:49:37 GMT")),
      "Last-Modified Sun, 06 Nov 1994 08:49:37 GMT is unchanged"
    ),
    (.notModified(stamp("5-7")), "the source file is unchanged"),
    (.notModified(Samples.validators()), "the source is unchanged"),
    (.digestMatches(.md5, a), "md5 is \(a), the same as published"),
    (
      .serverDigestMatches(ServerDigest(.contentMD5, .md5, a)),
      "Content-MD5 gives the md5 of the last download, \(a)"
    ),
    (.asLocked(a), "sha256 is \(a), the same as in syncmake.lock"),
    (
      .withinInterval(age: .seconds(3 * 3600 + 59), period: .seconds(12 * 3600)),
      "checked 3h ago, interval 12h"
    ),
    (.listUnchanged(.digest(.sha256)), "the list has the sha256 of the last download"),
    (.listUnchanged(.version), "the list has the version of the last download"),
    (.listGone, "the list no longer has it; it is kept"),
    (.listGoneEdited, "the list no longer has it; it is kept, since it was edited locally"),
    (.listGoneWaits(for: genes), "the list no longer has it; its removal waits, since genes failed"),
    (
      .listGoneWaits(for: nil),
      "the list no longer has it; its removal waits until everything else has succeeded"
    ),
    (.listGoneMissing, "the list no longer has it; its output is missing"),
    (.present, "the output exists, and the rule requires nothing else"),
  ]

  static let validators: [(StaleReason, String)] = [
    (
      .validatorChanged(recorded: Samples.validators("\"a1\""), observed: Samples.validators("\"b2\"")),
      "ETag \"a1\" is now \"b2\""
    ),
    (
      .validatorChanged(recorded: Samples.validators("\"a1\""), observed: Samples.validators(nil, "X")),
      "ETag \"a1\" is gone"
    ),
    (
      .validatorChanged(recorded: Samples.validators(nil, "X"), observed: Samples.validators("\"b2\"", "X")),
      "ETag is now \"b2\""
    ),
    (
      .validatorChanged(
        recorded: Samples.validators("\"a\"", "X"), observed: Samples.validators("\"a\"", "Y")),
      "Last-Modified X is now Y"
    ),
    (
      .validatorChanged(
        recorded: Samples.validators("\"a\"", url: "https://h/1"),
        observed: Samples.validators("\"a\"", url: "https://h/2")),
      "it came from https://h/1, and comes from https://h/2 now"
    ),
    (
      .validatorChanged(recorded: Samples.validators("\"a\""), observed: Samples.validators("\"a\"")),
      "ETag \"a\" is no longer confirmed"
    ),
    (
      .validatorChanged(recorded: Samples.validators("\"a\""), observed: nil),
      "ETag \"a\" is no longer confirmed"
    ),
    (
      .validatorChanged(recorded: nil, observed: Samples.validators("\"a\"")),
      "no download with a validator is recorded"
    ),
    (
      .validatorChanged(recorded: stamp("5-7"), observed: stamp("9-7")),
      "the source file had 5 B, and has 9 B now"
    ),
    (
      .validatorChanged(recorded: stamp("5-7"), observed: stamp("5-8")), "the time of the source file changed"
    ),
    (.validatorChanged(recorded: stamp("?"), observed: stamp("5-8")), "the source file changed"),
    (.newerRemote(recorded: "X", observed: "Y"), "Last-Modified was X, now Y"),
    (.newerRemote(recorded: nil, observed: "Y"), "Last-Modified is Y, and the record has none"),
    (.newerRemote(recorded: "X", observed: nil), "the server sends no Last-Modified"),
    (
      .newerRemote(recorded: nil, observed: nil), "the server sends no Last-Modified, and the record has none"
    ),
  ]

  static let changes: [(StaleReason, String)] = [
    (.outputMissing, "the output does not exist"),
    (.folderIncomplete(.files(1, of: 4, first: "sub/d")), "1 of 4 files is missing: sub/d"),
    (.folderIncomplete(.files(3, of: 4, first: "a")), "3 of 4 files are missing, first a"),
    (.folderIncomplete(.files(0, of: 4, first: "empty")), "an empty folder is missing: empty"),
    (.folderIncomplete(.interruptedChange), "its last change was interrupted, and is completed first"),
    (.outputModified(recorded: a, actual: b), "edited locally: sha256 was \(a), now \(b)"),
    (.outputModified(recorded: a, actual: nil), "edited locally: sha256 was \(a)"),
    (.forced, "requested with -B or -W"),
    (.definitionChanged([FieldChange(field: "url", was: "X", now: "Y")]), "url was X, now Y"),
    (
      .definitionChanged([
        FieldChange(field: "steps", was: nil, now: "gunzip"), FieldChange(field: "from", was: "", now: nil),
      ]), "steps were not set, now gunzip; from was empty, now not set"
    ),
    (
      .definitionChanged([FieldChange(field: "steps", was: "gunzip\nverify: {size: 5}", now: "gunzip")]),
      "steps were gunzip, verify: {size: 5}, now gunzip"
    ),
    (.definitionChanged([]), "its definition changed"),
    (
      .dependencyChanged([DependencyChange(kind: .needs, name: genes, was: a, now: b)]), "needs genes changed"
    ),
    (
      .dependencyChanged([DependencyChange(kind: .from, name: genes, was: a, now: nil)]), "from genes changed"
    ),
    (
      .dependencyChanged([DependencyChange(kind: .needs, name: genes, was: nil, now: b)]),
      "needs genes is new"
    ),
    (
      .dependencyChanged([DependencyChange(kind: .verify, name: genes, was: a, now: b)]),
      "the digest in genes was \(a), now \(b)"
    ),
    (.dependencyChanged([]), "a dependency changed"),
    (.neverSynced, "the output exists, and has no record"),
    (.digestDiffers(.md5, expected: a, actual: b), "md5 should be \(a), is \(b)"),
    (.digestDiffers(.md5, expected: a, actual: nil), "md5 should be \(a), the file's is not known"),
    (.notAsLocked(locked: a, actual: b), "sha256 is \(b), but \(a) in syncmake.lock"),
    (.listChanged(.version, was: "1.0", now: "1.1"), "the list had the version 1.0, and has 1.1 now"),
    (.listChanged(.entityTag, was: nil, now: "x"), "the list has the ETag x now"),
    (.always, "the rule is always"),
  ]

  static let all =
    fresh.map { (Reason.fresh($0.0), $0.1) } + (validators + changes).map { (Reason.stale($0.0), $0.1) }

  @Test("every reason has its words", arguments: all)
  func words(reason: Reason, expected: String) {
    #expect(ReasonText.detail(reason, secrets: Samples.none) == expected)
  }

  @Test func `every code is covered by these tests`() {
    #expect(Set(Self.all.map(\.0.code)) == Set(ReasonCode.allCases))
  }

  @Test func `secrets are masked`() {
    let reason = Reason.stale(
      .definitionChanged([FieldChange(field: "url", was: "u?k=hunter2", now: "hunter2")]))
    #expect(ReasonText.detail(reason, secrets: SecretMask(values: ["hunter2"])) == "url was u?k=***, now ***")
  }
}
