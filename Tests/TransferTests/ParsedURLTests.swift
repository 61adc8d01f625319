import SyncModel
import SyncTestSupport
import Testing

@testable import Transfer

@Suite struct `A handle for one URL after another` {
  @Test func `requests each URL with its own parts`() throws {
    let servers = try [LoopbackServer(), LoopbackServer()]
    let loop = try TransferLoop.forTests()
    let asked = [
      (0, "/"), (0, "/a/b"), (0, "/c"), (0, "/d?q=1"), (0, "/e"), (0, "/a%20b"), (1, "/e"), (1, "//f"),
      (0, "/"), (1, "/.g"), (1, "/g~1/"), (0, "/g"),
    ]
    for (server, target) in asked {
      _ = loop.exchange(ExchangeRequest(url: servers[server].url(target)))
    }
    for (index, server) in servers.enumerated() {
      #expect(server.requests.map(\.target) == asked.filter { $0.0 == index }.map(\.1))
    }
  }

  @Test(arguments: [
    "http://a.test/x?y", "http://A.test/x", "http://user@a.test/x", "http://a.test/../x", "http://a.test",
    "http://a.test/%41", "ftp://a.test/x", "a.test/x",
  ]) func `a URL that is not plain is left to libcurl`(_ text: String) throws {
    try CurlLibrary.load()
    let parsed = try #require(ParsedURL())
    #expect(!parsed.set(text))
    #expect(parsed.set("http://a.test/x"))
    #expect(!parsed.set(text))
    #expect(parsed.set("http://a.test/y"))
  }
}
