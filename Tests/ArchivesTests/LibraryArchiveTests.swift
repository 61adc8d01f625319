import Archives
import SyncModel
import SyncTestSupport
import Testing

@Suite struct LibraryArchiveTests {
  private static let files: [String: [UInt8]] = [
    "one": Array("one\n".utf8), "big": TestData.random(300_000, seed: 1),
  ]

  private func list(_ bytes: [UInt8], _ format: ArchiveFormat, piece: Int = 1_000) throws -> [Listed] {
    let archive = try LibraryArchive(format, MemoryArchive(bytes, piece: piece))
    var found: [Listed] = []
    while let entry = try archive.next() {
      var listed = Listed(entry.shownName, entry.kind)
      var buffer = [UInt8](repeating: 0, count: 10_000)
      while entry.kind == .file {
        let count = try buffer.withUnsafeMutableBytes { try archive.content(into: $0) }
        guard count > 0 else { break }
        listed.content += buffer[..<count]
      }
      found.append(listed)
    }
    return found.sorted { $0.name < $1.name }
  }

  @Test(arguments: [("7z", "7z", ArchiveFormat.sevenZip), ("xar", "bsdtar", .xar)])
  func `7z and xar are read`(form: String, program: String, format: ArchiveFormat) throws {
    guard TestArchives.has(program) else { return }
    let bytes = try TestArchives.make(form, ["d/one=one", "d/é=big", "d/l->one"], files: Self.files)
    let found = try list(bytes, format).filter { $0.kind != .folder }
    #expect(found.map(\.name) == ["d/l", "d/one", "d/é"])
    #expect(found[0].kind == .symbolicLink(target: Array("one".utf8)))
    #expect(found[1].content == Self.files["one"] && found[2].content == Self.files["big"])
  }

  @Test func `a time in a 7z has its fraction of a second`() throws {
    guard TestArchives.has("7z") else { return }
    let folder = try TemporaryFolder()
    let result = try runProcess(
      "/bin/sh", ["-c", "echo 1 > one && touch -d @1000000000.25 one && 7z a -bd -y out.7z one"],
      currentDirectory: folder.path)
    #expect(result.status == 0, "\(result.stdout)")
    let bytes = try #require(folder.read("out.7z"))
    let times: [Timestamp?] = [Timestamp(nanoseconds: 1_000_000_000_250_000_000)]
    let found = try LibraryArchive.entries(.sevenZip, MemoryArchive(bytes)) { false }
    #expect(found.map(\.modified) == times)
  }

  /// libarchive 3.6 fails to pass over this content before a link.
  @Test func `the entries of a 7z are listed, whatever comes before a link`() throws {
    guard TestArchives.has("7z") else { return }
    for size in [65_535, 65_536, 131_072] {
      let files = ["zeros": [UInt8](repeating: 0, count: size)]
      let bytes = try TestArchives.make("7z", ["d/a=zeros", "d/b->a"], files: files)
      let found = try LibraryArchive.entries(.sevenZip, MemoryArchive(bytes, piece: 1_000)) { false }
      #expect(Set(found.map(\.shownName)).isSuperset(of: ["d/a", "d/b"]))
    }
  }

  @Test func `a xar whose content ends before its recorded length is refused`() throws {
    // The length in the table of contents is that of two streams of zlib.
    let script = """
      import struct, zlib
      data = zlib.compress(b"1") + zlib.compress(b"2")
      file = ("<name>f</name><type>file</type><data><length>%d</length><offset>20</offset><size>1</size>"
          "<encoding style='application/x-gzip'/></data>") % len(data)
      toc = ("<?xml version='1.0'?><xar><toc><file id='1'>%s</file></toc></xar>" % file).encode()
      packed = zlib.compress(toc)
      head = struct.pack(">4sHHQQI", b"xar!", 28, 1, len(packed), len(toc), 0)
      open("a.xar", "wb").write(head + packed + bytes(20) + data)
      """
    let folder = try TemporaryFolder()
    _ = try runProcess("/usr/bin/env", ["python3", "-c", script], currentDirectory: folder.path)
    let bytes = try #require(folder.read("a.xar"))
    #expect(throws: FailureCause.self) { try list(bytes, .xar) }
  }

  @Test func `a 7z that is cut, or goes on, is refused`() throws {
    guard TestArchives.has("7z") else { return }
    let bytes = try TestArchives.make("7z", ["one=one"], files: Self.files)
    for end in stride(from: 6, to: bytes.count, by: 11) {
      #expect(throws: FailureCause.self) { try list(Array(bytes[..<end]), .sevenZip) }
    }
    let cut = "it ends before its directory, or is one of several volumes"
    #expect(throws: FailureCause.archive(.endsEarly(cut))) { try list(Array(bytes.dropLast()), .sevenZip) }
    #expect(throws: FailureCause.archive(.dataAfterEnd(at: Int64(bytes.count)))) {
      try list(bytes + [1], .sevenZip)
    }
    #expect(try list(bytes + [0, 0, 0], .sevenZip).count == 1)
  }

  @Test(arguments: [
    "-mx=9", "-m0=LZMA", "-m0=PPMd", "-m0=BZip2", "-m0=Deflate", "-m0=Copy", "-mf=BCJ2", "-m0=BCJ -m1=LZMA",
    "-m0=Delta:4 -m1=LZMA2", "-ms=off", "-mhc=off", "-mhc=off -ms=off", "-mtc=on -mta=on",
  ])
  func `whatever a 7z is packed with, its directory is understood`(options: String) throws {
    guard TestArchives.has("7z") else { return }
    let folder = try TemporaryFolder()
    try folder.write(Self.files["one"]!, to: "one")
    try folder.write(Self.files["big"]!, to: "d/big")
    try folder.write([], to: "d/empty")
    let options = options.split(separator: " ").map(String.init)
    let result = try runProcess(
      "/usr/bin/env", ["7z", "a", "-bd", "-y"] + options + ["out.7z", "one", "d"],
      currentDirectory: folder.path)
    #expect(result.status == 0, "\(result.stdout)")
    // The PPMd of libarchive 3.6.2 fails if a piece ends near the end of the packed data.
    let found = try list(try #require(folder.read("out.7z")), .sevenZip, piece: .max)
      .filter { $0.kind != .folder }
    #expect(found.map(\.name) == ["d/big", "d/empty", "one"])
    #expect(found.map(\.content) == [Self.files["big"], [], Self.files["one"]])
  }

  @Test func `the target of a link in a 7z has the bytes that it has there`() throws {
    guard TestArchives.has("7z") else { return }
    let folder = try TemporaryFolder()
    let result = try runProcess(
      "/bin/sh",
      ["-c", #"ln -s "$(printf 'lat\351')" link && 7z a -bd -y -snl out.7z link > /dev/null"#],
      currentDirectory: folder.path)
    #expect(result.status == 0, "\(result.stdout)")
    let bytes = try #require(folder.read("out.7z"))
    #expect(try list(bytes, .sevenZip).map(\.kind) == [.symbolicLink(target: Array("lat".utf8) + [0xE9])])
  }

  @Test func `a link beside a long file is read`() throws {
    guard TestArchives.has("7z") else { return }
    let long = [UInt8](repeating: 1, count: 2 << 20)
    let bytes = try TestArchives.make("7z", ["a=long", "b->a", "c=long"], files: ["long": long])
    let found = try list(bytes, .sevenZip)
    #expect(found.map(\.name) == ["a", "b", "c"])
    #expect(found[0].content == long && found[2].content == long)
    #expect(found[1].kind == .symbolicLink(target: Array("a".utf8)))
  }

  @Test(arguments: ["-mhc=off", "-mhc=on", "-mf=BCJ2"])
  func `a 7z with a wrong byte is read or refused`(option: String) throws {
    guard TestArchives.has("7z") else { return }
    let folder = try TemporaryFolder()
    try folder.write(Self.files["one"]!, to: "one")
    try folder.write([], to: "d/empty")
    _ = try runProcess(
      "/usr/bin/env", ["7z", "a", "-bd", "-y", "-ms=off", option, "out.7z", "one", "d"],
      currentDirectory: folder.path)
    let bytes = try #require(folder.read("out.7z"))
    var refused = 0
    for place in bytes.indices {
      for flip: UInt8 in [1, 0x80, 0xff] {
        var wrong = bytes
        wrong[place] ^= flip
        do { _ = try list(wrong, .sevenZip) } catch { refused += 1 }
      }
    }
    #expect(refused > bytes.count)
  }

  @Test func `what is neither is not read`() {
    let page = [UInt8](repeating: 0x20, count: 1_000)
    #expect(throws: FailureCause.self) { try list(page, .sevenZip) }
    #expect(throws: FailureCause.self) { try list(page, .xar) }
  }
}
