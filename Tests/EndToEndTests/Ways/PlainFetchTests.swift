import Foundation
import SyncTestSupport
import Testing

/// A first download of a small file has a fast path (docs/decisions/0016); a run that reports times does not use
/// it.
///
/// For any reply, both paths must send the same requests, print the same, and leave the same files and records.
@Suite struct `The first download on the fast path and the full path` {
  private static let small = Array("small\n".utf8)
  private static let date = "Tue, 14 Nov 2023 22:13:20 GMT"

  /// The replies, each for a target of that name with its other keys.
  private static func sources() throws -> [(name: String, keys: String, replies: [Reply])] {
    let good = try TestData.digest("sha256", small)
    let other = try TestData.digest("sha256", [1])
    let md5 = try TestData.digest("md5", small)
    func file(_ bytes: [UInt8] = small) -> Reply { .file(bytes, etag: "\"v\"", lastModified: date) }
    func text(_ headers: [HeaderField], _ body: [UInt8] = small) -> Reply {
      .status(200, headers: headers, body: body)
    }
    let etag = HeaderField("ETag", "\"v\"")
    return [
      ("plain", "", [file()]),
      ("empty", "", [file([])]),
      (
        "verified", "steps: [{verify: {sha256: \(good)}}, {verify: {size: 6}}, {verify: {md5: \(md5)}}]",
        [file()]
      ),
      ("ruled", "freshness: {md5: \(md5)}", [file()]),
      ("ruled-of-output", "freshness: {sha256: \(good), of: output}", [file()]),
      ("headed", "headers: {X-Mine: some}, auth: {bearer: word}", [file()]),
      ("led-away", "headers: {X-Mine: some}", [.redirect("/plain", status: 301)]),
      ("aged", "freshness: {interval: 1h, then: mtime}", [file()]),
      ("dated", "freshness: mtime", [file()]),
      ("once", "freshness: once, mode: '0600'", [text([])]),
      ("unvalidated", "", [text([])]),
      ("weak", "", [.file(small, etag: "W/\"v\"", lastModified: nil)]),
      ("wrong", "steps: [{verify: {sha256: \(other)}}]", [file()]),
      ("wrongly-ruled", "freshness: {sha256: \(other)}", [file()]),
      ("oversized", "steps: [{verify: {size: 5}}]", [file()]),
      ("limited", "max_size: 5B", [file()]),
      ("large", "", [file([UInt8](repeating: 7, count: 40_000))]),
      ("largest", "", [file([UInt8](repeating: 8, count: 16 << 10))]),
      ("larger", "", [file([UInt8](repeating: 9, count: (16 << 10) + 1))]),
      ("chunked", "", [.status(200, headers: [etag], body: small, framing: .chunked)]),
      ("encoded", "", [text([etag, HeaderField("Content-Encoding", "br")])]),
      ("missing", "", [.text("no", status: 404)]),
      ("none", "", [.status(204)]),
      ("part", "", [.status(206, headers: [HeaderField("Content-Range", "bytes 0-5/6")], body: small)]),
      ("moved", "", [.redirect("/plain")]),
      ("busy", "retries: 2", [.text("later", status: 503), .text("later", status: 500), file()]),
      (
        "cut", "retries: 1", [.raw("HTTP/1.1 200 OK\r\nETag: \"v\"\r\nContent-Length: 6\r\n\r\nsma"), file()]
      ),
      ("ever-cut", "retries: 1", [.raw("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsma")]),
      ("garbage", "", [.raw("nonsense\r\n\r\n")]),
      ("twice", "", [.raw("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Length: 7\r\n\r\nsmall\n")]),
      ("unproven", "", [.raw("HTTP/1.1 200 OK\r\n\r\nsmall\n")]),
      ("accepted", "unproven_length: accept", [.raw("HTTP/1.1 200 OK\r\nETag: \"v\"\r\n\r\nsmall\n")]),
      ("optional", "optional: true", [.text("no", status: 410)]),
      ("told", "", [text([etag, HeaderField("X-Checksum-Md5", md5)])]),
      (
        "wrongly-told", "retries: 1", [text([etag, HeaderField("X-Checksum-Sha256", other)]), file()]
      ),
      ("told-nonsense", "", [text([etag, HeaderField("Content-MD5", md5)])]),
      ("linked", "output: link/linked", [file()]),
      ("needing", "needs: [plain]", [file()]),
    ]
  }

  private func manifest(_ server: LoopbackServer, _ sources: [(name: String, keys: String, replies: [Reply])])
    -> String
  {
    sources.reduce(into: "version: 1\ntargets:\n") { text, source in
      let output = source.keys.contains("output:") ? "" : ", output: out/\(source.name)"
      let keys = source.keys.isEmpty ? "" : ", \(source.keys)"
      text += "  \(source.name): {url: \"\(server.url("/\(source.name)"))\"\(output)\(keys)}\n"
    }
  }

  /// The result of a run in its own folder, in a form that can be compared.
  private func outcome(_ arguments: String...) throws -> [String] {
    let server = try LoopbackServer()
    let sources = try Self.sources()
    server.setScript(Dictionary(uniqueKeysWithValues: sources.map { ("/\($0.name)", $0.replies) }))
    let root = try ProgramFolder(manifest: manifest(server, sources))
    try FileManager.default.createDirectory(
      atPath: root.folder.path("elsewhere"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: root.folder.path("link"), withDestinationPath: "elsewhere")
    let scale = ["SYNCMAKE_TEST_TIME_SCALE": "0.01"]
    func run(_ more: [String]) throws -> ProcessResult {
      try root.start(["-k", "-j1", "-v", "--json"] + more, environment: scale).wait(seconds: 60)
    }
    func told(_ text: String) -> String {
      var text = text.replacingOccurrences(of: "127.0.0.1:\(server.port)", with: "SERVER")
      for pattern in [
        #""duration_ms": \d+"#, #""(checked|updated)_at": "[^"]*""#, #"port \d+"#, #"next in [0-9.]+ m?s"#,
        #"checked \d+s ago"#,
      ] {
        text = text.replacingOccurrences(of: pattern, with: "…", options: .regularExpression)
      }
      return text
    }
    let first = try run(arguments)
    #expect(first.status == 2, "\(first.stderr)")
    let status = try root.start(["status", "--json"], environment: scale).wait(seconds: 20)
    let asked = sources.map { source in
      let lines = server.requests(to: "/\(source.name)").map { request in
        request.headers.map { "\($0.name): \($0.value)" }.filter { !$0.hasPrefix("Host:") }.sorted()
      }
      // Redirected requests arrive in any order.
      return "\(source.name): \(lines.map(\.description).sorted())"
    }
    let files = FileTree(root.folder.path("out")).entries.sorted { $0.key < $1.key }.map { path, entry in
      let bytes = (try? Data(contentsOf: URL(fileURLWithPath: root.folder.path("out/\(path)")))) ?? Data()
      let time = ["dated", "aged"].contains(path) ? "\(entry.modified)" : "now"
      return "\(path) \(String(entry.mode, radix: 8)) \(time) \(bytes.base64EncodedString())"
    }
    let second = try run([])
    return [told(first.stdout), told(first.stderr), told(status.stdout), told(second.stdout)] + asked + files
  }

  @Test func `give the same result`() throws {
    let plain = try outcome()
    let ordinary = try outcome("--junit", "junit.xml")
    #expect(plain.count == ordinary.count)
    for (plain, ordinary) in zip(plain, ordinary) {
      for (a, b) in zip(plain.split(separator: "\n"), ordinary.split(separator: "\n")) { #expect(a == b) }
      #expect(plain == ordinary)
    }
  }
}
