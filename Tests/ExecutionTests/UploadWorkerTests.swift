import ContentPipeline
import LocalFiles
import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// What is put on a server that takes everything.
@Suite struct UploadWorkerTests {
  /// Whoever has another name of a file of the cache may have changed it since an earlier run.
  @Test(arguments: ["one", "two"])
  func `of a renewed record only bytes with the digest of their name are sent`(
    text: String
  ) throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer(["*": [.status(404), .status(201)]])
    let sha256 = Digester.digest(Array("one".utf8), .sha256)
    try folder.write(text, to: "cache/cas/\(sha256.text.prefix(2))/\(sha256.text)")
    let cache = try CacheFolder(path: folder.path("cache"), isMade: true)
    var rule = RemoteCacheRule(url: server.url("/sm"))
    rule.mode = .write
    let settings = try #require(RemoteCacheSettings(rule, RemoteCacheHealth()))
    let worker = UploadWorker(settings, RunSettings(), SecretMask(), HostLimits())
    let record = CacheRecord(url: nil, size: 3, sha256: sha256, checkedAt: Timestamp(seconds: 0))
    let entry = CacheEntry(record, at: nil, digests: [])
    var order = UploadOrder(entry, in: cache, isSpooled: false, signedBy: nil, .writers)
    order.isRenewal = true
    worker.add(order)
    let account = worker.finish(within: .seconds(60), StopSignal())
    let isRight = text == "one"
    #expect(server.requests.map(\.method) == (isRight ? ["HEAD", "PUT"] : ["HEAD"]))
    #expect(account.stored == (isRight ? 1 : 0) && account.errors == 0 && account.left == 0)
    #expect(account.bad == (isRight ? [] : [sha256]) && cache.isGone(sha256) == !isRight)
  }
}
