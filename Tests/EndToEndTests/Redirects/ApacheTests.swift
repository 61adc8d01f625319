import Foundation
import SyncTestSupport
import Testing

/// Apache's usual configuration gives compressed files and their sidecars a Content-Encoding (contract, section 5).
@Suite(.enabled(if: ApacheServer.isHere, "needs apache2")) struct `Apache that derives encodings from names` {
  @Test func `serves an archive and its sidecar unchanged`() throws {
    let archive = try TestData.gzip(TestData.random(50_000, seed: 51))
    let packed = try TestData.gzip(Array(String(repeating: "words\n", count: 9000).utf8))
    let sidecar = "\(try TestData.digest("md5", packed))  words.gz\n"
    let server = try ApacheServer(
      directives: "AddEncoding x-gzip .gz .tgz",
      files: ["a.tgz": archive, "words.gz": packed, "words.gz.md5": Array(sidecar.utf8)])
    let probe = try runProcess(
      "/usr/bin/curl", ["-sSI", "--noproxy", "*", server.url("/words.gz.md5")])
    #expect(probe.stdout.lowercased().contains("content-encoding: x-gzip"), "\(probe)")
    let root = try ProgramFolder(
      manifest: """
        version: 1
        targets:
          archive: {url: "\(server.url("/a.tgz"))"}
          words:
            url: "\(server.url("/words.gz"))"
            output: words.gz
            steps: [{verify: {md5: {url: "\(server.url("/words.gz.md5"))"}}}]
        """)
    let first = try root.syncmake("--json")
    #expect(first.status == 0, "\(first.stderr)")
    #expect(try first.document().outcomes == ["updated", "updated"])
    #expect(root.folder.read("a.tgz") == archive)
    #expect(root.folder.read("words.gz") == packed)
    let second = try root.syncmake("--json")
    #expect(second.status == 0, "\(second.stderr)")
    for target in try second.document().targets {
      #expect(target.outcome == "fresh" && target.reason == "not-modified", "\(target)")
    }
  }
}
