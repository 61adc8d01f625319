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
