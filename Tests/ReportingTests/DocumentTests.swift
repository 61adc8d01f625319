import Foundation
import Planning
import SyncModel
import Testing

@testable import Reporting

@Suite struct DocumentTests {
  @Test func `a run is one document, with fields in the contract's order and targets in the manifest's`() {
    let text = RunJSON.render(results: Samples.results.reversed(), status: .ok, manifest: Samples.manifest)
    #expect(
      text == """
        {
          "format": "syncmake.run/1",
          "manifest": "syncmake.yaml",
          "status": "ok",
          "summary": {
            "updated": 1,
            "fresh": 1,
            "failed": 1,
            "skipped": 1
          },
          "targets": [
            {
              "name": "genes",
              "outcome": "updated",
              "reason": "validator-changed",
              "detail": "ETag \\"a1\\" is now \\"b2\\"",
              "output": "data/genes.tsv",
              "size": 456,
              "sha256": "\(Samples.hex("ab", .sha256))",
              "bytes_transferred": 123,
              "bytes_resumed": 0,
              "requests": 1,
              "http_status": 200,
              "url": "https://data.example.org/genes.tsv.gz",
              "duration_ms": 12
            },
            {
              "name": "index",
              "outcome": "fresh",
              "reason": "not-modified",
              "detail": "ETag \\"a1\\" is unchanged",
              "output": "data/index",
              "bytes_transferred": 0,
              "bytes_resumed": 0,
              "requests": 1,
              "http_status": 304,
              "duration_ms": 0
            },
            {
              "name": "sums",
              "outcome": "failed",
              "output": "data/sums",
              "bytes_transferred": 0,
              "bytes_resumed": 0,
              "requests": 0,
              "duration_ms": 0,
              "optional": true,
              "error": {
                "code": "http-status",
                "message": "HTTP status 404 (not found) from https://data.example.org/genes.tsv.gz"
              }
            },
            {
              "name": "checked",
              "outcome": "skipped",
              "reason": "dependency-failed",
              "detail": "it depends on sums, which did not succeed",
              "output": "data/checked"
            }
          ]
        }

        """)
  }

  @Test func `an update to the same bytes is marked, and only that`() {
    var results = Samples.results
    for i in results.indices { results[i].isUnchanged = true }
    let text = RunJSON.render(results: results, status: .ok, manifest: Samples.manifest)
    #expect(text.components(separatedBy: "\"unchanged\": true").count == 2)
    #expect(text.contains("\"duration_ms\": 12,\n      \"unchanged\": true"))
  }

  @Test func `a plan is one document`() {
    let targets = Samples.manifest.targets
    let plan = Plan(targets: [
      Samples.planned(targets[0], .update, Samples.changed, bytes: 123),
      Samples.planned(targets[1], .maybe, waitsFor: ["genes"], needs: ["genes"]),
      Samples.planned(targets[3], .maybe),
      Samples.planned(targets[4], .error, needs: ["sums"], failure: .offline),
    ])
    #expect(
      PlanJSON.render(plan, manifest: Samples.manifest) == """
        {
          "format": "syncmake.plan/1",
          "manifest": "syncmake.yaml",
          "summary": {
            "update": 1,
            "fresh": 0,
            "maybe": 2,
            "error": 1
          },
          "targets": [
            {
              "name": "genes",
              "action": "update",
              "reason": "validator-changed",
              "detail": "ETag \\"a1\\" is now \\"b2\\"",
              "output": "data/genes.tsv",
              "needs": [],
              "bytes": 123
            },
            {
              "name": "index",
              "action": "maybe",
              "reason": "dependency-changed",
              "detail": "depends on the result of genes",
              "output": "data/index",
              "needs": [
                "genes"
              ]
            },
            {
              "name": "sums",
              "action": "maybe",
              "reason": "offline",
              "detail": "only a request can tell, but --offline is set",
              "output": "data/sums",
              "needs": []
            },
            {
              "name": "checked",
              "action": "error",
              "reason": "offline",
              "detail": "this needs a request, but --offline is set",
              "output": "data/checked",
              "needs": [
                "sums"
              ],
              "error": {
                "code": "offline",
                "message": "this needs a request, but --offline is set"
              }
            }
          ]
        }

        """)
  }

  @Test func `a status leaves out unknown fields`() {
    let target = Samples.manifest.targets[0]
    let record = Samples.record(
      target, validators: Samples.validators("\"a1\"", "Sun, 06 Nov 1994 08:49:37 GMT"))
    let statuses = [
      TargetStatus(
        id: target.id, name: target.name, output: target.output, state: .present, record: record),
      TargetStatus(
        id: TargetID(1), name: TargetName("index"), output: .file(Samples.path("data/index"), mode: nil),
        state: .missing,
        record: nil),
    ]
    #expect(
      StatusJSON.render(statuses, manifest: Samples.manifest) == """
        {
          "format": "syncmake.status/1",
          "manifest": "syncmake.yaml",
          "targets": [
            {
              "name": "genes",
              "output": "data/genes.tsv",
              "state": "present",
              "sha256": "\(Samples.hex("ab", .sha256))",
              "size": 456,
              "etag": "\\"a1\\"",
              "last_modified": "Sun, 06 Nov 1994 08:49:37 GMT",
              "checked_at": "2026-11-21T07:00:00Z",
              "updated_at": "2026-11-19T10:00:00Z"
            },
            {
              "name": "index",
              "output": "data/index",
              "state": "missing"
            }
          ]
        }

        """)
  }

  @Test func `a graph is one document, each edge once`() throws {
    let text = GraphText.json(TargetGraph(Samples.manifest), manifest: Samples.manifest)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["format"] as? String == "syncmake.graph/1")
    #expect(object["targets"] as? [String] == ["genes", "index", "copy", "sums", "checked"])
    #expect(
      object["edges"] as? [[String: String]] == [
        ["from": "genes", "to": "index", "kind": "needs"], ["from": "index", "to": "copy", "kind": "after"],
        ["from": "genes", "to": "copy", "kind": "from"], ["from": "sums", "to": "checked", "kind": "verify"],
      ])
  }

  @Test func `foreign text is unchanged in JSON, except for secrets`() throws {
    let secrets = SecretMask(values: ["hunter2"])
    let manifest = Manifest(fileName: "m", targets: Samples.manifest.targets, secrets: secrets)
    let text = "a\u{1B}[2J\n::error::##[x]hunter2"
    var result = Samples.result(
      manifest.targets[0], .failed, .stale(.newerRemote(recorded: text, observed: text)))
    result.failure = TargetFailure(.internalError(text))
    result.url = text
    let document = RunJSON.render(results: [result], status: .failed, manifest: manifest)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
    let target = try #require((object["targets"] as? [[String: Any]])?.first)
    let masked = "a\u{1B}[2J\n::error::##[x]***"
    #expect(target["url"] as? String == masked)
    #expect(target["detail"] as? String == "Last-Modified was \(masked), now \(masked)")
    #expect((target["error"] as? [String: String])?["message"] == "internal error: \(masked)")
  }
}
