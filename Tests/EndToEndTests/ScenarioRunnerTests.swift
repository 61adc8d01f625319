import Foundation
import SyncTestSupport
import Testing

/// A harness that finds nothing is worse than none: each check is shown to pass and to fail.
///
/// The program under test is the shell, so that none of our programs is needed.
@Suite struct ScenarioRunnerTests {
  @Test func `a scenario without a failing line reports nothing`() throws {
    let found = try play(
      """
      # All of the language at once.
      -- data --
      v1 = text "one\\n"
      big = random 100000 seed=7
      big.gz = gzip big
      torn = first 10 big.gz
      two = concat v1 v1
      -- serve --
      /a: file v1 etag='"v1"' last-modified="Sat, 01 Jan 2022 00:00:00 GMT"
      GET /b: 503 retry-after=1 body="busy"
      GET /b: 200 data=two chunked
      -- serve other --
      /c: 200 body="see"
      -- file in.txt mode=0640 mtime="Sat, 01 Jan 2022 00:00:00 GMT" --
      {{md5 v1}}  {{size big}}
      -- env --
      WHO=me
      -- run --
      $ sh 'cat in.txt; curl -s -H "If-None-Match: \\"v1\\"" $BASE/a $BASE/b $BASE/b; curl -s $OTHER/c; echo; echo "$WHO $X" >&2; exit 3'
      env X="y z"
      exit 3
      stderr contains "me y"
      stdout lacks nothing
      within 15000
      -- stdout --
      5bbf5a52328e7439ae6e719dfe712200  {{NUMBER}}
      {{...}}
      one
      see{{*}}
      -- stderr --
      me y z
      -- requests --
      GET /a
        If-None-Match: "v1"
        ! If-Range
      GET /b
      GET /b
      -- requests other --
      GET /c
      -- traffic --
      requests to /b = 2
      peak-requests <= 1
      connections = 1
      -- files --
      unchanged in.txt
      in.txt mode 0640
      in.txt mtime "Sat, 01 Jan 2022 00:00:00 GMT"
      tree-unchanged
      only in.txt
      absent out
      nowhere canary
      no-leftovers
      """)
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `JSON is compared by field and as a whole`() throws {
    let document = """
      {"format": "x/1", "n": 2, "targets": [{"name": "a.b", "at": "2022-01-01T00:00:00Z"}, {"name": "c", "l": []}]}
      """
    let found = try play(
      """
      # JSON.
      -- run --
      $ sh 'echo "$DOC"'
      env DOC='\(document)'
      -- json --
      .format = "x/{{*}}"
      .n >= 2
      .targets count 2
      .targets[name=a.b].at = "{{TIME}}"
      .targets[1].l = []
      .targets[1].name != "d"
      .targets[1].name matches "^c$"
      .targets[0].l absent
      .n present
      -- json exact --
      {"format": "{{*}}", "n": 2, "targets": [{"name": "a.b", "at": "{{TIME}}"}, "{{*}}"]}
      """)
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `programs are started, waited for, signalled and ended`() throws {
    let found = try play(
      """
      # Programs at once.
      -- serve --
      /slow: 200 body="0123456789" hold-after=4:go
      /asked: 200 body="x"
      -- start one --
      $ sh 'curl -s $BASE/slow'
      -- await --
      sent /slow 4
      -- run --
      $ sh 'curl -s $BASE/asked; mkdir -p .syncmake/partial; echo 12345 > .syncmake/partial/x.part; exec sleep 30'
      signal TERM when saved 5
      exit signal TERM
      -- do --
      release go
      -- end one --
      exit 0
      stdout matches "^0123456789$"
      """)
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `connections end as configured, endless replies end with the client, and trailers arrive`()
    throws
  {
    let found = try play(
      """
      # Faults of a server.
      -- serve --
      connection: reset
      connection: fin
      connection: serve
      /a: 200 body="x" chunked trailer="X-Sum: 1"
      /flood: raw "HTTP/1.1 200 OK\\r\\n\\r\\n" then-forever="0123456789"
      -- run --
      $ sh 'curl -s $BASE/a; echo $?; curl -s $BASE/a; echo $?; curl -si $BASE/a; curl -s $BASE/flood | head -c 1000000 | wc -c'
      stdout matches "^56\\n52\\nHTTP/1.1 200 OK"
      stdout contains "xX-Sum: 1"
      stdout contains "1000000\\n"
      -- requests --
      GET /a
      GET /flood
      """)
    #expect(found.isEmpty, "\(found)")
  }

  @Test(.enabled(if: TLSFront.isHere, "needs python3 and openssl"))
  func `fronts speak TLS and HTTP/2, and break them as configured`() throws {
    let found = try play(
      """
      # Faults of TLS and HTTP/2.
      -- requires --
      tls
      -- front good http2 --
      -- front old certificate=expired --
      -- front both to=other also-plain --
      -- front plain fault=plain --
      -- data --
      big = random 300000 seed=1
      -- serve --
      /big: file big
      /rst: file big header="X-Fault: after=1000 rst=2"
      -- serve other --
      /a: 200 body="x"
      -- run --
      $ sh 'c="curl -s --cacert {{AUTHORITY}}"; $c $GOOD/big > big; $c -w "%{http_version} " $GOOD/rst -o rst; echo $?; $c $OLD/big; echo $?; $c $PLAIN/; echo $?; $c $BOTH/a http://127.0.0.1:{{BOTH_PORT}}/a; echo'
      -- stdout --
      2 92
      60
      35
      xx
      -- files --
      big = big
      -- requests --
      GET /big
      GET /rst
      -- requests other --
      GET /a
      GET /a
      """)
    #expect(found.isEmpty, "\(found)")
  }

  @Test(arguments: [
    "exit 1", "exit signal TERM", "stdout empty", "stderr empty", "stdout contains x", "stdout lacks out",
    "stdout matches 'o.x'", "within 0", "takes 9000",
  ])
  func `a check of the exit status can fail`(_ directive: String) throws {
    let found = try play(
      "# x\n-- run --\n$ sh 'echo out; echo err >&2'\nexit 0\n".replacing(
        "exit 0\n", with: directive.hasPrefix("exit") ? "" : "exit 0\n") + directive)
    #expect(found.map(\.line) == [directive.hasPrefix("exit") ? 4 : 5])
  }

  @Test(arguments: [
    "-- stdout --\nother", "-- stderr --\nx", "-- json --\n.a = 2", "-- json --\n.b present",
    "-- json --\n.a absent", "-- json --\n.s contains \"x\"", "-- json --\n.l count 1", "-- json --\n.a > 1",
    "-- json exact --\n{\"a\": 1}", "-- requests --\nGET /b", "-- requests --\nGET /a\n  X: z",
    "-- requests --\nGET /a\n  ! X", "-- requests --\n", "-- requests unordered --\nGET /a\nGET /a",
    "-- traffic --\nrequests = 2", "-- expect f --\nother", "-- files --\nabsent f", "-- files --\npresent g",
    "-- files --\nf = d", "-- files --\nf mode 0600",
    "-- files --\nf mtime \"Sat, 01 Jan 2022 00:00:00 GMT\"",
    "-- files --\nf link", "-- files --\nunchanged h", "-- files --\nchanged f",
    "-- files --\ntree-unchanged",
    "-- files --\nonly f", "-- files --\nno-leftovers", "-- files --\nnowhere file",
    "-- files --\nf contains x",
  ])
  func `a check of the result can fail`(_ section: String) throws {
    let scenario = """
      # x
      -- data --
      d = text "data"
      -- serve --
      /a: 200 body=''
      -- do --
      write f "file"
      -- run --
      $ sh 'curl -s -H "X: y" $BASE/a; echo > .h.syncmake-1; echo > h; echo "$DOC"'
      env DOC='{"a": 1, "l": [], "s": "t"}'
      """
    #expect(try play(scenario + "\n" + section).count == 1)
    #expect(try play(scenario).isEmpty)
  }

  @Test(arguments: [
    ("-- nonsense --", 2), ("-- run --", 2), ("-- run --\n$ curl", 3), ("-- run --\n$ sh x\nfoo", 4),
    ("-- serve --\n/a: 200 foo=1", 3), ("-- serve --\n/a 200", 3), ("-- serve --\n/a: file none", 3),
    ("-- do --\nbreak x", 3), ("-- files --\nabsent", 3), ("-- json --\na = 1", 3), ("-- json --\n.a = x", 3),
    ("-- requests --\n  X: y", 3), ("-- data --\na = text \"x", 3), ("-- expect a --\n{{NONE}}", 3),
    ("-- traffic --\nbytes = 1", 3), ("-- env --\nx", 3), ("-- requires --\nwindows", 3),
    ("-- serve --\nconnection: what", 3), ("-- front x fault=what --", 2),
    ("-- front x certificate=what --", 2),
    ("-- front x --\ny", 2), ("-- do --\ntouch a \"Sun, 01 Jan 2022 00:00:00 GMT\"", 3),
    ("-- run x --\n$ sh x", 2),
  ])
  func `an error in a scenario is reported with its line before anything runs`(text: String, line: Int) throws
  {
    #expect(throws: ScenarioProblem.self) { try play("# x\n" + text) }
    do { _ = try play("# x\n" + text) } catch let problem as ScenarioProblem { #expect(problem.line == line) }
  }

  @Test func `a difference shows the expected and the actual value`() {
    let pattern = TextPattern(text: "a\nb {{NUMBER}}\nc\n")
    #expect(pattern.matches("a\nb 12\nc\n") && !pattern.matches("a\nb x\nc\n"))
    #expect(pattern.difference(from: "a\nb 1\nd\n") == "    a\n    b 1\n  - c\n  + d\n    ")
  }

  private func play(_ text: String) throws -> [ScenarioProblem] {
    let runner = try ScenarioRunner(ScenarioFile(text), program: "/bin/false")
    return runner.run()
  }
}
