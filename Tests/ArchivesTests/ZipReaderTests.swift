import Archives
import Foundation
import SyncModel
import SyncTestSupport
import Testing

@Suite struct ZipReaderTests {
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("d"), withIntermediateDirectories: true)
    try folder.write(Array("one\n".utf8), to: "d/a")
    try folder.write([UInt8](repeating: 7, count: 1_000), to: "d/b")
    try folder.write([], to: "d/é")
    try FileManager.default.createSymbolicLink(atPath: folder.path("d/l"), withDestinationPath: "a")
    return folder
  }

  private func members(_ bytes: [UInt8]) throws -> [ZipMember] {
    let reader = try ZipReader(MemoryArchive(bytes))
    var found: [ZipMember] = []
    while let member = try reader.next() { found.append(member) }
    return found
  }

  private func run(_ command: String, in folder: TemporaryFolder) throws -> [UInt8] {
    let result = try runProcess(
      "/bin/sh", ["-c", command], currentDirectory: folder.path, timeoutSeconds: 60)
    try #require(result.status == 0, "\(command): \(result.stderr)")
    return try #require(folder.read("out.zip"))
  }

  @Test(
    arguments: [
      "zip -q -r -y out.zip d", "zip -q -r -y -0 out.zip d",
      "zip -q -r -y -fz- - d > out.zip",
      "zip -q -r -y - d > out.zip", "bsdtar --format=zip -cf out.zip d",
      "7z a -bd -y -snl out.zip d > /dev/null",
    ])
  func `zips of Info-ZIP, libarchive and 7z are read`(command: String) throws {
    let program = String(command.prefix { $0 != " " })
    guard TestArchives.has(program) else { return }
    let found = try members(run(command, in: folder()))
    let names = found.map(\.entry.shownName).sorted()
    #expect(names == ["d/", "d/a", "d/b", "d/l", "d/é"])
    let file = try #require(found.first { $0.entry.shownName == "d/b" })
    #expect(file.entry.size == 1_000 && file.entry.kind == .file)
    let link = try #require(found.first { $0.entry.shownName == "d/l" })
    #expect(link.entry.kind == .symbolicLink(target: []))
  }

  @Test func `zips of Python and git are read`() throws {
    let script =
      "import zipfile, os; z = zipfile.ZipFile('out.zip', 'w', zipfile.ZIP_DEFLATED);"
      + "[z.write('d/' + n) for n in ('a', 'b', 'é')]; z.open('big', 'w', force_zip64=True).close(); z.close()"
    let found = try members(run("python3 -c \"\(script)\"", in: folder()))
    #expect(found.map(\.entry.shownName) == ["d/a", "d/b", "d/é", "big"])
    let git =
      "git init -q r && cp -r d r && cd r && git add . && git -c user.name=a -c user.email=b commit -qm m && "
      + "git archive --format=zip -o ../out.zip HEAD"
    #expect(try members(run(git, in: folder())).contains { $0.entry.shownName == "d/a" })
  }

  @Test func `a name without the flag for UTF-8 is of code page 437`() throws {
    var bytes = try TestArchives.make("zip-stored", ["a_b=x"], files: ["x": [1]])
    for place in bytes.indices where bytes[place...].starts(with: "a_b".utf8) { bytes[place + 1] = 0x82 }
    #expect(try members(bytes).map(\.entry.shownName) == ["aéb"])
  }

  @Test(arguments: [(3, "aéb"), (19, "aéb"), (0, "a├⌐b"), (10, "a├⌐b")] as [(UInt8, String)])
  func `a name in UTF-8 without the flag for it is read as such if Unix or macOS made it`(
    system: UInt8, name: String
  ) throws {
    var bytes = try TestArchives.make("zip-stored", ["a__b=x"], files: ["x": [1]])
    for place in bytes.indices {
      if bytes[place...].starts(with: "a__b".utf8) {
        bytes.replaceSubrange(place..<place + 4, with: "aéb".utf8)
      }
      if bytes[place...].starts(with: [0x50, 0x4b, 1, 2] as [UInt8]) { bytes[place + 5] = system }
    }
    #expect(try members(bytes).map(\.entry.shownName) == [name])
  }

  @Test(arguments: [("0", "aüb"), ("1", "aéb")])
  func `the name in an extra field counts if it has the sum of the other one`(change: String, name: String)
    throws
  {
    let script = #"""
      import struct, sys, zipfile, zlib
      raw, name = b"a\x82b", "a\u00fcb".encode()
      info = zipfile.ZipInfo("a_b")
      info.extra = struct.pack("<HHBI", 0x7075, 5 + len(name), 1, zlib.crc32(raw) ^ int(sys.argv[1])) + name
      with zipfile.ZipFile("out.zip", "w") as out: out.writestr(info, b"x")
      data = open("out.zip", "rb").read()
      open("out.zip", "wb").write(data.replace(b"a_b", raw))
      """#
    let folder = try TemporaryFolder()
    _ = try runProcess("/usr/bin/env", ["python3", "-c", script, change], currentDirectory: folder.path)
    #expect(try members(#require(folder.read("out.zip"))).map(\.entry.shownName) == [name])
  }

  @Test func `zeros may follow the end`() throws {
    let bytes = try TestArchives.make("zip", ["a=x"], files: ["x": [1, 2, 3]])
    for zeros in [1, 100, 100_000] {
      #expect(try members(bytes + [UInt8](repeating: 0, count: zeros)).count == 1)
    }
  }

  @Test func `a zip that is cut anywhere cannot be read`() throws {
    let bytes = try TestArchives.make("zip", ["a=x", "b=x"], files: ["x": Array("one\n".utf8)])
    for end in 0..<bytes.count {
      #expect(throws: FailureCause.self, "\(end) of \(bytes.count)") { try members(Array(bytes[..<end])) }
    }
  }

  @Test func `more members than fit into memory's first pages are read`() throws {
    let script =
      "import zipfile; z = zipfile.ZipFile('out.zip', 'w'); [z.writestr('d/%d' % n, b'x') for n in range(70000)]; z.close()"
    #expect(try members(run("python3 -c \"\(script)\"", in: folder())).count == 70_000)
  }
}
