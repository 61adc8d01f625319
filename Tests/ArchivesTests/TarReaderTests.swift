import Archives
import Foundation
import SyncModel
import SyncTestSupport
import Testing

@Suite struct TarReaderTests {
  private static let long = String(repeating: "long-name/", count: 14) + "x"

  /// A folder with all that a tar of these tests contains.
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("d/" + String(repeating: "long-name/", count: 14)),
      withIntermediateDirectories: true)
    try folder.write(Array("one\n".utf8), to: "d/a")
    try folder.write([UInt8](repeating: 7, count: 1_000), to: "d/b")
    try folder.write([], to: "d/empty")
    try folder.write([UInt8](repeating: 9, count: 512), to: "d/" + Self.long)
    try FileManager.default.createSymbolicLink(atPath: folder.path("d/l"), withDestinationPath: "a")
    try FileManager.default.linkItem(atPath: folder.path("d/a"), toPath: folder.path("d/h"))
    return folder
  }

  private func run(_ command: String, in folder: TemporaryFolder) throws -> [UInt8] {
    let result = try runProcess(
      "/bin/sh", ["-c", command], currentDirectory: folder.path, timeoutSeconds: 60)
    try #require(result.status == 0, "\(command): \(result.stderr)")
    return try #require(folder.read("out.tar"))
  }

  @Test(
    arguments: [
      "tar --format=ustar -cf out.tar d/a d/b d/empty d/l d/h",
      "tar --format=v7 -cf out.tar d/a d/b d/empty d/l d/h",
      "tar --format=gnu -cf out.tar d/a d/b d/empty d/l d/h",
      "tar --format=pax -cf out.tar d/a d/b d/empty d/l d/h",
      "tar -b 1 --format=gnu -cf out.tar d/a d/b d/empty d/l d/h",
      "tar -V label -cf out.tar d/a d/b d/empty d/l d/h",
      """
      python3 -c "import tarfile; t = tarfile.open('out.tar', 'w'); [t.add('d/' + n) for n in ('a', 'b', 'empty', 'l', 'h')]; t.close()"
      """,
    ])
  func `tars of GNU tar and Python are read`(command: String) throws {
    let bytes = try run(command, in: folder())
    let target = ArchiveEntry.Kind.symbolicLink(target: Array("a".utf8))
    let linked = ArchiveEntry.Kind.hardLink(target: Array("d/a".utf8))
    let expected = [
      Listed("d/a", .file, "one\n"), Listed("d/b", .file, String(repeating: "\u{7}", count: 1_000)),
      Listed("d/empty"), Listed("d/l", target), Listed("d/h", linked),
    ]
    #expect(try TarListing.read(bytes) == expected)
    for piece in [1, 7, 511, 512, 513] { #expect(try TarListing.read(bytes, piece: piece) == expected) }
  }

  @Test func `the index that pixz appends is passed over, and nothing else`() throws {
    let tar = try run("tar -cf out.tar d/a", in: folder())
    let mark: [UInt8] = [0xA6, 0x4C, 0x32, 0x2E, 0xD6, 0x14, 0xAE, 0xDB]
    let index = mark + Array("d/a\0".utf8) + [UInt8](repeating: 0, count: 9)
    for piece in [1, 7, 512, 100_000] {
      #expect(try TarListing.read(tar + index, piece: piece) == [Listed("d/a", .file, "one\n")])
      for wrong in [Array(mark.dropLast()), mark.dropLast() + [0xDA], [0, 0] + mark.dropFirst()] {
        let place = Int64(tar.count + (wrong.first == 0 ? 2 : 0))
        #expect(throws: ArchiveFault(.dataAfterEnd(at: place))) {
          try TarListing.read(tar + wrong, piece: piece)
        }
      }
    }
  }

  @Test(
    arguments: [
      "tar --format=gnu -cf out.tar d", "tar --format=pax -cf out.tar d", "tar --format=ustar -cf out.tar d",
      "bsdtar -cf out.tar d", "bsdtar --format=ustar -cf out.tar d",
      "git init -q r && cp -r d r && cd r && git add . && git -c user.name=a -c user.email=b commit -qm m && "
        + "git archive --format=tar -o ../out.tar HEAD",
    ])
  func `long names are read in every form`(command: String) throws {
    guard !command.hasPrefix("bsdtar") || TestArchives.has("bsdtar") else { return }
    let bytes = try run(command, in: folder())
    let found = try TarListing.read(bytes)
    let file = try #require(found.first { $0.name == "d/" + Self.long })
    #expect(file.content == [UInt8](repeating: 9, count: 512))
    #expect(found.contains { $0.name == "d/" && $0.kind == .folder })
    #expect(found.contains(Listed("d/a", .file, "one\n")) || found.contains(Listed("d/h", .file, "one\n")))
  }

  @Test func `appended files come later`() throws {
    let folder = try folder()
    let bytes = try run("tar -cf out.tar d/a && echo two > d/a && tar -rf out.tar d/a", in: folder)
    #expect(try TarListing.read(bytes).map(\.content) == [Array("one\n".utf8), Array("two\n".utf8)])
  }

  @Test func `sparse files are refused`() throws {
    for form in ["gnu", "pax"] {
      let command = "truncate -s 10M s && echo x >> s && tar --format=\(form) -S -cf out.tar s"
      let fault = try TarListing.fault(try run(command, in: folder()))
      #expect(fault?.reason == .sparse)
    }
  }

  // MARK: Sizes

  /// The field of a header for the size 0.
  private static let zero = Array("00000000000\0".utf8)

  private func header(_ name: String, size field: [UInt8], type: Character = "0") -> [UInt8] {
    var block = [UInt8](repeating: 0, count: 512)
    block.replaceSubrange(0..<name.utf8.count, with: name.utf8)
    block.replaceSubrange(124..<136, with: field)
    block[156] = type.asciiValue!
    block.replaceSubrange(257..<265, with: "ustar\u{0}00".utf8)
    var sum = 8 * 0x20
    for (place, byte) in block.enumerated() where !(148..<156).contains(place) { sum += Int(byte) }
    let digits = String(sum, radix: 8)
    let text = String(repeating: "0", count: 6 - digits.count) + digits + "\0 "
    block.replaceSubrange(148..<156, with: text.utf8)
    return block
  }

  /// A block of attributes with this record, whose length has two digits.
  private func attributes(_ record: String, type: Character) -> [UInt8] {
    let record = Array("\(record.utf8.count + 4) \(record)\n".utf8)
    let digits = String(record.count, radix: 8)
    let size = String(repeating: "0", count: 11 - digits.count) + digits + "\0"
    let padding = [UInt8](repeating: 0, count: 512 - record.count)
    return header("pax", size: Array(size.utf8), type: type) + record + padding
  }

  private func entries(_ bytes: [UInt8]) throws -> [ArchiveEntry] {
    var reader = TarReader()
    var found: [ArchiveEntry] = []
    var used = 0
    while used < bytes.count {
      let (count, step) = try bytes[used...].withUnsafeBytes { try reader.step($0) }
      if case .entry(let entry) = step { found.append(entry) }
      used += count
    }
    return found
  }

  @Test func `a size of more than 8 GiB is GNU's number or an attribute of pax`() throws {
    let size: Int64 = 9 << 30
    var binary: [UInt8] = [0x80] + [UInt8](repeating: 0, count: 3)
    binary += withUnsafeBytes(of: size.bigEndian) { Array($0) }
    #expect(try entries(header("x", size: binary)).map(\.size) == [size])
    let pax = attributes("size=\(size)", type: "x")
    #expect(try entries(pax + header("x", size: Self.zero)).map(\.size) == [size])
    // Readers without pax would read another archive.
    let other = header("x", size: Array("00000000010\0".utf8))
    #expect(throws: ArchiveFault.self) { try entries(pax + other) }
  }

  // MARK: Times

  @Test func `a time for all entries is that of each one without its own, until the next one`() throws {
    let parts = [
      header("a", size: Self.zero), attributes("mtime=1000000000.25", type: "g"),
      header("b", size: Self.zero), attributes("mtime=7.5", type: "x"), header("c", size: Self.zero),
      attributes("comment=commit", type: "g"), attributes("comment=entry", type: "x"),
      header("d", size: Self.zero), attributes("mtime=9", type: "g"), header("e", size: Self.zero),
    ]
    let milliseconds: [Int64] = [0, 1_000_000_000_250, 7_500, 1_000_000_000_250, 9_000]
    let times: [Timestamp?] = milliseconds.map { Timestamp(nanoseconds: $0 * 1_000_000) }
    #expect(try entries(parts.flatMap { $0 }).map(\.modified) == times)
  }

  // MARK: The end

  @Test func `zeros of any number may follow the end`() throws {
    let bytes = try run("tar -b 1 -cf out.tar d/a", in: folder())
    for zeros in [0, 1, 511, 512, 10_000] {
      #expect(try TarListing.read(bytes + [UInt8](repeating: 0, count: zeros)).count == 1)
    }
  }

  @Test func `a tar that is cut anywhere ends too early`() throws {
    let bytes = try run("tar -b 1 --format=pax -cf out.tar d/a d/b", in: folder())
    for end in stride(from: 0, to: bytes.count, by: 37) {
      #expect(try TarListing.fault(Array(bytes[..<end]))?.isCutShort == true, "\(end) of \(bytes.count)")
    }
    #expect(try TarListing.fault(Array(bytes.dropLast()))?.isCutShort == true)
    #expect(try TarListing.fault(bytes) == nil)
  }
}
