import Foundation
import SyncTestSupport
import Testing

#if os(Linux)
  /// Folder outputs on exFAT, where names that differ in case only are one file, and files have no further names.
  @Suite(
    .serialized,
    .enabled(if: SyncmakeProgram.path != nil && ExFAT.isPossible, "exfat-fuse cannot be mounted here"))
  struct CaselessFileSystemTests {
    private struct Project {
      let folder: TemporaryFolder
      let disk: ExFAT
      let server = try! LoopbackServer()

      init(_ keys: String = "") throws {
        folder = try TemporaryFolder()
        disk = try ExFAT(in: folder)
        try folder.write(
          """
          version: 1
          targets:
            docs: {url: "\(server.url())/docs.tar", output: docs/, steps: [unpack]\(keys)}
          """, to: "root/syncmake.yaml")
      }

      /// exFAT says of each file that it can be executed.
      func publish(_ files: [(String, String)], mode: Int = 0o644) throws {
        let tree = try TemporaryFolder()
        for (path, text) in files {
          try tree.write(text, to: path)
          try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: tree.path(path))
        }
        let tops = Set(files.map { $0.0.split(separator: "/")[0] }).sorted().map(String.init)
        let end = try runProcess(
          "/usr/bin/env", ["tar", "-C", tree.path, "-cf", folder.path("docs.tar")] + tops)
        try #require(end.status == 0, "\(end.stderr)")
        server.on("/docs.tar", .file(try #require(folder.read("docs.tar")), etag: "\"\(UUID())\""))
      }

      func run() throws -> ProcessResult {
        try runProcess(try #require(SyncmakeProgram.path), ["-C", disk.path, "--json"])
      }

      func text(_ path: String) -> String? {
        folder.read("root/docs/" + path).map { String(decoding: $0, as: UTF8.self) }
      }

      var names: [String] {
        (try? FileManager.default.subpathsOfDirectory(atPath: disk.path + "/docs")) ?? []
      }
    }

    @Test func `an update keeps what stays, although files have one name only`() throws {
      let project = try Project()
      try project.publish([("a", "one"), ("d/b", "two"), ("gone", "three")])
      #expect(try project.run().status == 0)
      #expect(try project.run().stdout.contains("\"fresh\": 1"))
      try project.publish([("a", "one"), ("d/b", "2"), ("new", "four")])
      let end = try project.run()
      #expect(end.status == 0, "\(end.stdout)")
      #expect(project.names.sorted() == ["a", "d", "d/b", "new"])
      #expect(["a", "d/b", "new"].map(project.text) == ["one", "2", "four"])
      #expect(try project.run().stdout.contains("\"fresh\": 1"))
    }

    @Test func `a name whose case changes is not removed as the old one`() throws {
      let project = try Project()
      try project.publish([("README", "one"), ("Dir/x", "two"), ("Dir/y", "three")])
      #expect(try project.run().status == 0)
      try project.publish([("readme", "1"), ("dir/X", "2")])
      let end = try project.run()
      #expect(end.status == 0, "\(end.stdout)")
      #expect(project.names.map { $0.lowercased() }.sorted() == ["dir", "dir/x", "readme"])
      #expect(project.text("readme") == "1")
      #expect(project.text("dir/X") == "2")
      #expect(try project.run().stdout.contains("\"fresh\": 1"))
    }

    @Test func `a user's file with the bytes of a new entry is no edit`() throws {
      let project = try Project()
      try project.publish([("a", "one")])
      #expect(try project.run().status == 0)
      try project.folder.write("two", to: "root/docs/NEW")
      try project.publish([("a", "one"), ("NEW", "two")], mode: 0o755)
      let end = try project.run()
      #expect(end.status == 0, "\(end.stdout)")
      #expect(project.text("NEW") == "two")
    }

    @Test func `a user's file is the one that an entry with another case would replace`() throws {
      let refusing = try Project()
      let keeping = try Project(", local_changes: keep")
      for project in [refusing, keeping] {
        try project.publish([("a", "one")])
        #expect(try project.run().status == 0)
        try project.folder.write("mine", to: "root/docs/Notes")
        try project.publish([("a", "1"), ("NOTES", "theirs")])
      }
      let refused = try refusing.run()
      #expect(refused.status == 2)
      #expect(refused.stdout.contains("\"code\": \"output-modified\""), "\(refused.stdout)")
      #expect(refusing.text("a") == "one")
      let kept = try keeping.run()
      #expect(kept.status == 0, "\(kept.stdout)")
      #expect(keeping.text("a") == "1")
      for project in [refusing, keeping] { #expect(project.text("Notes") == "mine") }
    }
  }

  /// An exFAT file system in a file, mounted on `root`; needs FUSE, a loop device and the right to mount.
  private final class ExFAT {
    let path: String
    private let device: String

    static let isPossible: Bool = {
      guard geteuid() == 0, let folder = try? TemporaryFolder() else { return false }
      return (try? ExFAT(in: folder)) != nil
    }()

    init(in folder: TemporaryFolder) throws {
      path = folder.path("root")
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let image = folder.path("image")
      _ = FileManager.default.createFile(atPath: image, contents: nil)
      try FileHandle(forWritingTo: URL(fileURLWithPath: image)).truncate(atOffset: 16 << 20)
      _ = try Self.call("mkfs.exfat", image)
      device = try Self.call("losetup", "--find", "--show", image).trimmingCharacters(in: .newlines)
      do { _ = try Self.call("mount.exfat-fuse", device, path) } catch {
        _ = try? Self.call("losetup", "--detach", device)
        throw error
      }
    }

    deinit {
      _ = try? Self.call("umount", path)
      _ = try? Self.call("losetup", "--detach", device)
    }

    private static func call(_ program: String, _ arguments: String...) throws -> String {
      var environment = ProcessInfo.processInfo.environment
      environment["PATH"] = (environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
      let end = try runProcess("/usr/bin/env", [program] + arguments, environment: environment)
      guard end.status == 0 else { throw ProcessFailure(call: "\(program): \(end.stderr)", code: EPERM) }
      return end.stdout
    }
  }
#endif
