import Foundation
import SyncTestSupport
import Testing

/// Folders of real web servers, as `format: index` mirrors them.
@Suite(.waits, .serialized) struct `A folder on a web server` {
  private static let time = 1_790_000_000

  private func root(_ server: ListingServer, _ more: String = "") throws -> ProgramFolder {
    try ProgramFolder(
      manifest: """
        version: 1
        targets:
          pub/${entry.name}:
            list: {url: "\(server.url("/pub/"))", format: index\(more)}
            output: mirror/${entry.name}

        """)
  }

  private func run(_ root: ProgramFolder) throws -> RunDocument {
    let result = try root.syncmake("-k", "--json", seconds: 60)
    #expect(result.status == 0, "\(result.stdout)\(result.stderr)")
    return try result.document()
  }

  private func mirror(_ root: ProgramFolder) -> [String: String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.folder.path("mirror"))) ?? []
    return Dictionary(uniqueKeysWithValues: names.map { ($0, root.folder.text("mirror/\($0)") ?? "") })
  }

  @Test(arguments: ListingServer.Kind.here)
  func `is mirrored, and only what changes is fetched again`(kind: ListingServer.Kind) throws {
    let server = try ListingServer(kind)
    var files = [
      "a b & c.txt": "one\n", "genes.tsv.gz": "two\n", "größe.bin": "three\n", "x#1?.csv": "four\n",
    ]
    for (name, text) in files { try server.serve(text, as: "pub/\(name)", modified: Self.time) }
    try server.serve("inner\n", as: "pub/sub/inner.txt", modified: Self.time)
    let root = try root(server)
    let first = try run(root)
    #expect(first.summary["updated"] == 4, "\(first.targets)")
    #expect(mirror(root) == files)

    let second = try run(root)
    #expect(Set(second.reasons) == [kind.isExact ? "list-unchanged" : "not-modified"], "\(second.targets)")
    #expect(second.targets.allSatisfy { $0.requests == (kind.isExact ? 0 : 1) })

    try server.serve("two, changed\n", as: "pub/genes.tsv.gz", modified: Self.time + 100)
    try server.serve("new\n", as: "pub/new.txt", modified: Self.time + 100)
    try server.remove("pub/größe.bin")
    let third = try run(root)
    #expect(third.summary["updated"] == 2, "\(third.targets)")
    // What has left the folder stays, unless `gone: remove` is given.
    files.merge(["genes.tsv.gz": "two, changed\n", "new.txt": "new\n"]) { $1 }
    #expect(mirror(root) == files)
  }

  @Test(arguments: ListingServer.Kind.here)
  func `that is not there is a failure, and an empty one too`(kind: ListingServer.Kind) throws {
    let server = try ListingServer(kind)
    try server.serve("one\n", as: "pub/one.txt", modified: Self.time)
    let root = try root(server, ", gone: remove")
    _ = try run(root)
    try server.remove("pub/one.txt")
    let empty = try root.syncmake("--json")
    #expect(empty.status == 2)
    #expect(try empty.document().targets.map(\.error?.code) == ["list-invalid"])
    try server.remove("pub")
    let missing = try root.syncmake("--json")
    #expect(missing.status == 2)
    #expect(try missing.document().targets.map(\.error?.code) == ["http-status"])
    #expect(try missing.document().targets.map(\.name) == ["pub/${entry.name}"])
    #expect(mirror(root) == ["one.txt": "one\n"])
  }
}

/// Objects of a bucket that anybody may list.
@Suite(.waits, .enabled(if: S3Store.isHere, "needs rclone (scripts/setup --tests) and python3"))
struct `A bucket that speaks S3` {
  @Test func `is mirrored page by page, and its ETags decide`() throws {
    let store = try OpenS3Store()
    let files = [
      "a.txt": "one\n", "genomes/chr 1+2.fa": "two\n", "genomes/größe.fa": "three\n", "z.txt": "four\n",
    ]
    for (name, text) in files { try store.folder.write(text, to: "bucket/\(name)") }
    for more in ["", "&encoding-type=url"] {
      let root = try ProgramFolder(
        manifest: """
          version: 1
          targets:
            ${entry.key}:
              list: {url: "\(store.url("/bucket?list-type=2&max-keys=2\(more)"))", format: s3, tree: true}
              output: bucket/${entry.key}

          """)
      let first = try root.syncmake("--json", seconds: 60)
      #expect(first.status == 0, "\(first.stdout)\(first.stderr)")
      for (name, text) in files { #expect(root.folder.text("bucket/\(name)") == text, "\(name)") }
      #expect(Set(try root.syncmake("--json").document().reasons) == ["list-unchanged"])

      try store.folder.write("other\n", to: "bucket/z.txt")
      let last = try root.syncmake("--json").document()
      #expect(last.targets.filter { $0.outcome == "updated" }.map(\.name) == ["z.txt"], "\(last.targets)")
      #expect(root.folder.text("bucket/z.txt") == "other\n")
      try store.folder.write("four\n", to: "bucket/z.txt")
    }
  }
}
