import Foundation
import SyncModel
import Testing

@testable import StateStore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct `A compiled snapshot's file` {
  @Test func `returns what was written`() throws {
    let folder = try StateFolder()
    try folder.fill([.commit(try Sample.usual(1))])
    let state = try #require(StateIdentity(folder: folder.path))
    let snapshot = try SnapshotSample.make(targets: 50)
    SnapshotFile.write(snapshot, of: state, in: folder.path)
    let image = try #require(SnapshotFile.read(in: folder.path, isWorthIt: { $0 == 1234 }))
    #expect(image.premises == snapshot.premises)
    #expect(image.period == snapshot.period)
    #expect(image.count == 50)
    #expect(image.onlyName == nil)
    #expect(SnapshotSample.outputs(of: image).sorted() == SnapshotSample.outputs(of: snapshot).sorted())
    #expect(SnapshotFile.isStateUnchanged(image, in: folder.path))
    #expect(try folder.names() == ["snapshot", "state.db"])
  }

  @Test func `returns the requests to the sources`() throws {
    let state = StateIdentity(numbers: [1, 2, 3, 4], header: [5], changed: 4)
    let bytes = SnapshotLayout.encode(try SnapshotSample.make(targets: 50), state, stateSum: nil)
    let image = try #require(SnapshotImage(bytes))
    #expect(image.asksSources)
    let asked = try #require(image.questions())
    let (questions, outputs) = (asked.questions, image.outputs(of: asked.entries))
    var seen: Set<String> = []
    for (index, output) in outputs.split(separator: 0).enumerated() {
      let output = String(decoding: output, as: UTF8.self)
      let number = try #require(output.split(separator: " ").last.flatMap { Int($0) })
      let expected = SnapshotSample.question(number)
      #expect(String(cString: questions.url(index)) == expected.url)
      #expect(questions.conditionLines(index) == expected.conditions)
      #expect(questions.hosts[questions.host(index)] == expected.host)
      seen.insert(output)
    }
    #expect(seen.count == 17)
    #expect(questions.count == 17)
    #expect(seen.contains("data/name 1"))
  }

  @Test func `counts the targets whose outputs are not looked at`() throws {
    let state = StateIdentity(numbers: [1, 2, 3, 4], header: [5], changed: 4)
    var snapshot = try SnapshotSample.make(targets: 1)
    snapshot.addUnseen()
    let image = try #require(SnapshotImage(SnapshotLayout.encode(snapshot, state, stateSum: nil)))
    #expect(image.count == 1 && image.unseen == 1 && image.onlyName == nil)
  }

  @Test func `returns what is told of confirmed files, if it was kept`() throws {
    let state = StateIdentity(numbers: [1, 2, 3, 4], header: [5], changed: 4)
    var snapshot = try SnapshotSample.make(targets: 3)
    #expect(
      try #require(SnapshotImage(SnapshotLayout.encode(snapshot, state, stateSum: nil))).confirmed() == nil)
    snapshot.confirmed = SnapshotSample.confirmed(3)
    let bytes = SnapshotLayout.encode(snapshot, state, stateSum: nil)
    let image = try #require(SnapshotImage(bytes))
    #expect(image.confirmed() == snapshot.confirmed)
    #expect(image.count == 3 && image.questions()?.questions.count == 1)
    snapshot.confirmed.removeLast()
    let short = SnapshotLayout.encode(snapshot, state, stateSum: nil)
    #expect(try #require(SnapshotImage(short)).confirmed() == nil)
  }

  @Test func `has no requests if none is needed`() throws {
    let state = StateIdentity(numbers: [1, 2, 3, 4], header: [5], changed: 4)
    let image = try #require(
      SnapshotImage(SnapshotLayout.encode(try SnapshotSample.make(targets: 1), state, stateSum: nil)))
    #expect(!image.asksSources)
  }

  @Test func `has its outputs grouped by folder`() throws {
    let state = StateIdentity(numbers: [1, 2, 3, 4], header: [5], changed: 4)
    let bytes = SnapshotLayout.encode(try SnapshotSample.make(targets: 200), state, stateSum: nil)
    let image = try #require(SnapshotImage(bytes))
    var folders: [Int] = []
    _ = image.allSatisfy(in: 0..<image.count) { folder, _, _, _ in
      folders.append(folder)
      return true
    }
    #expect(folders == folders.sorted())
    #expect(Set(folders).count == image.folders.count)
  }

  @Test func `finds the signature of each output by its path, and of no other path`() throws {
    let state = StateIdentity(numbers: [1, 2, 3, 4], header: [5], changed: 4)
    let snapshot = try SnapshotSample.make(targets: 200)
    let image = try #require(SnapshotImage(SnapshotLayout.encode(snapshot, state, stateSum: nil)))
    for entry in snapshot.entries {
      let folder = snapshot.folders[Int(entry.folder)]
      let name = String(decoding: snapshot.names[Int(entry.name)...].prefix { $0 != 0 }, as: UTF8.self)
      let path = folder.isEmpty ? name : "\(folder)/\(name)"
      #expect(image.signature(of: try RelativePath(path)) == entry.signature)
      #expect(image.signature(of: try RelativePath(path + "x")) == nil)
      #expect(image.signature(of: try RelativePath("x/" + path)) == nil)
      #expect(image.signature(of: try RelativePath(String(path.dropLast()) + "~")) == nil)
    }
  }

  @Test func `of one target has its name, and one of no target is valid`() throws {
    for count in [0, 1] {
      let state = StateIdentity(numbers: [1, 2, 3, 4], header: [], changed: 4)
      let bytes = SnapshotLayout.encode(try SnapshotSample.make(targets: count), state, stateSum: nil)
      let image = try #require(SnapshotImage(bytes))
      #expect(image.count == count)
      #expect(image.onlyName == (count == 1 ? TargetName("target-0") : nil))
    }
  }

  @Test func `is rejected at the first output that has changed`() throws {
    let state = StateIdentity(numbers: [1, 2, 3, 4], header: [], changed: 4)
    let bytes = SnapshotLayout.encode(try SnapshotSample.make(targets: 9), state, stateSum: nil)
    let image = try #require(SnapshotImage(bytes))
    var seen = 0
    let all = image.allSatisfy(in: 0..<9) { _, _, _, _ in
      seen += 1
      return seen < 4
    }
    #expect(!all)
    #expect(seen == 4)
  }

  @Test func `is not read for a manifest of another size`() throws {
    let folder = try StateFolder()
    try folder.fill([.commit(try Sample.usual(1))])
    let state = try #require(StateIdentity(folder: folder.path))
    SnapshotFile.write(try SnapshotSample.make(targets: 5), of: state, in: folder.path)
    #expect(SnapshotFile.read(in: folder.path, isWorthIt: { $0 == 1233 }) == nil)
  }

  @Test func `is not read where it has an earlier form`() throws {
    let folder = try StateFolder()
    try folder.fill([.commit(try Sample.usual(1))])
    let state = try #require(StateIdentity(folder: folder.path))
    SnapshotFile.write(try SnapshotSample.make(targets: 5), of: state, in: folder.path)
    let path = URL(fileURLWithPath: folder.path + "/snapshot")
    let bytes = try Data(contentsOf: path)
    try (Data("syncsnp4".utf8) + bytes.dropFirst(8)).write(to: path)
    #expect(SnapshotFile.read(in: folder.path, isWorthIt: { _ in true }) == nil)
    #expect(SnapshotFile.key(in: folder.path) == nil)
  }

  @Test func `is not written of a state that has changed`() throws {
    let folder = try StateFolder()
    try folder.fill([.commit(try Sample.usual(1))])
    let state = try #require(StateIdentity(folder: folder.path))
    try folder.fill([.commit(try Sample.usual(2))])
    SnapshotFile.write(try SnapshotSample.make(targets: 5), of: state, in: folder.path)
    #expect(try folder.names() == ["state.db"])
  }

  @Test(arguments: ["folder", "link", "fifo"])
  func `is read from regular files only, and anything else in its place does no harm`(kind: String) throws {
    let folder = try StateFolder()
    try folder.fill([.commit(try Sample.usual(1))])
    let state = try #require(StateIdentity(folder: folder.path))
    let path = folder.path + "/snapshot"
    switch kind {
    case "folder":
      try FileManager.default.createDirectory(atPath: path + "/x", withIntermediateDirectories: true)
    case "link": symlink("state.db", path)
    default: mkfifo(path, 0o600)
    }
    #expect(SnapshotFile.read(in: folder.path, isWorthIt: { _ in true }) == nil)
    let bytes = try folder.bytes()
    SnapshotFile.write(try SnapshotSample.make(targets: 5), of: state, in: folder.path)
    #expect(try folder.bytes() == bytes)
    #expect((SnapshotFile.read(in: folder.path, isWorthIt: { _ in true }) == nil) == (kind == "folder"))
    #expect(try folder.names() == ["snapshot", "state.db"])
  }

  @Test func `is not written through a second hard link`() throws {
    let folder = try StateFolder()
    try folder.fill([.commit(try Sample.usual(1))])
    link(folder.database, folder.path + "/snapshot.new")
    let bytes = try folder.bytes()
    let state = try #require(StateIdentity(folder: folder.path))
    SnapshotFile.write(try SnapshotSample.make(targets: 5), of: state, in: folder.path)
    #expect(try folder.bytes() == bytes)
  }
}

@Suite struct `The state file's identity` {
  @Test func `changes with every commit`() throws {
    let folder = try StateFolder()
    var seen: [StateIdentity] = []
    for number in 1...20 {
      // The same row again and again: neither size nor, within a tick of the clock, times need change.
      try folder.fill([.commit(try Sample.usual(number % 2))])
      let identity = try #require(StateIdentity(folder: folder.path))
      #expect(!seen.contains(identity))
      seen.append(identity)
    }
  }

  @Test func `is unknown during a transaction and without a file`() throws {
    let folder = try StateFolder()
    #expect(StateIdentity(folder: folder.path) == nil)
    try folder.fill([.commit(try Sample.usual(1))])
    #expect(StateIdentity(folder: folder.path) != nil)
    try Data().write(to: URL(fileURLWithPath: folder.journal))
    #expect(StateIdentity(folder: folder.path) == nil)
  }

  /// Bytes changed in place at once, which neither size nor header show, and the times perhaps neither.
  @Test func `includes its bytes, since times may miss a change`() throws {
    for round in 0..<60 {
      let folder = try StateFolder()
      try folder.fill([.commit(try Sample.usual(1))])
      let state = try #require(StateIdentity(folder: folder.path))
      SnapshotFile.write(try SnapshotSample.make(targets: 2), of: state, in: folder.path)
      let image = try #require(SnapshotFile.read(in: folder.path, isWorthIt: { _ in true }))
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.database))
      let size = try file.seekToEnd()
      let place = 100 + UInt64(round) * 37 % (size - 100)
      try file.seek(toOffset: place)
      let byte = try #require(try file.read(upToCount: 1)?.first)
      try file.seek(toOffset: place)
      try file.write(contentsOf: Data([byte ^ 1]))
      try file.close()
      #expect(!SnapshotFile.isStateUnchanged(image, in: folder.path), "round \(round)")
    }
  }

  @Test func `relies on times once the file has been unchanged for a while`() throws {
    let rested = StateIdentity(numbers: [1, 2, 3, 4], header: [5], changed: 4)
    let sum = ByteSum.Value(count: 1, hash: 6)
    let image = try #require(
      SnapshotImage(SnapshotLayout.encode(try SnapshotSample.make(targets: 3), rested, stateSum: sum)))
    #expect(image.stateSum == sum)
    let folder = try StateFolder()
    SnapshotFile.refresh(image, in: folder.path)
    let refreshed = try #require(SnapshotFile.read(in: folder.path, isWorthIt: { _ in true }))
    #expect(refreshed.stateSum == nil)
    #expect(refreshed.state == rested)
    #expect(SnapshotSample.outputs(of: refreshed) == SnapshotSample.outputs(of: image))
    // The clock of a file that changes in the future has not moved past it.
    let restless = StateIdentity(numbers: [1, 2, 3, .max], header: [5], changed: .max)
    let fresh = try #require(
      SnapshotImage(SnapshotLayout.encode(try SnapshotSample.make(targets: 3), restless, stateSum: sum)))
    let other = try StateFolder()
    SnapshotFile.refresh(fresh, in: other.path)
    #expect(try other.names().isEmpty)
  }
}

/// Snapshots to write and to damage.
enum SnapshotSample {
  /// What is told of so many targets, with and without each text.
  static func confirmed(_ count: Int) -> [ConfirmedFile] {
    (0..<count).map { number in
      let digest = HexDigest(bytes: Array(repeating: UInt8(number), count: 32))
      let etag = EntityTag("\"\u{e4}\(number)\"")
      return ConfirmedFile(
        size: Int64(number), sha256: number == 1 ? nil : digest, etag: number == 2 ? nil : etag,
        lastModified: number == 0 ? nil : "Thu, 26 Nov 2026 00:00:00 GMT")
    }
  }

  static func make(targets: Int) throws -> CompiledSnapshot {
    let premises = SnapshotPremises(
      circumstances: ["0.1.0", "", "syncmake.yaml"], key: ByteSum.Key(words: (17, 19)),
      manifest: ByteSum.Value(count: 1234, hash: 5),
      environment: [
        .init(name: "A", mark: nil), .init(name: "B", mark: ""), .init(name: "C", mark: "c0ffee"),
      ],
      files: [
        ManifestFile(path: try RelativePath("a/\u{e9}.tsv"), sum: ByteSum.Value(count: 7, hash: .max)),
        ManifestFile(path: try RelativePath("b"), sum: ByteSum.Value(count: 0, hash: 0)),
      ],
      patterns: [IncludePattern("a/*/\u{e9}.yaml", ByteSum.Value(count: 3, hash: .max))],
      lists: [
        ListSum(name: "0a", sum: ByteSum.Value(count: 64 << 20, hash: 9)),
        ListSum(name: "b1", sum: ByteSum.Value(count: 0, hash: .max)),
      ])
    var snapshot = CompiledSnapshot(premises)
    let folders = ["", "data/", "data/deep/", "\u{e9}/", "e\u{301}/"]
    for number in 0..<targets {
      let signature = FileSignature(
        size: Int64(number), modified: Timestamp(nanoseconds: -5), changed: Timestamp(nanoseconds: .max),
        inode: .max - UInt64(number))
      snapshot.add(
        TargetName("target-\(number)"),
        output: try RelativePath("\(folders[number % folders.count])name \(number)"), look: look(number),
        signature,
        in: TimeSpan(
          from: Timestamp(nanoseconds: Int64(number)), until: Timestamp(nanoseconds: 1000 - Int64(number))),
        asking: number % 3 == 1 ? question(number) : nil)
    }
    return snapshot
  }

  private static func look(_ number: Int) -> OutputLook { [.file, .folder, .folderWithEdits][number % 3] }

  /// The requests: every third target has one, to two hosts.
  static func question(_ number: Int) -> PlainQuestion {
    PlainQuestion(
      url: "http://host-\(number % 2)/\(number)",
      conditions: ["If-None-Match: \"\(number)\"", "If-Modified-Since: then"].suffix(1 + number % 2),
      host: .init(name: "host-\(number % 2)", connections: 8 + number % 2))
  }

  static func outputs(of snapshot: CompiledSnapshot) -> [String] {
    snapshot.entries.map { entry in
      let name = snapshot.names[Int(entry.name)...].prefix { $0 != 0 }
      return text(
        snapshot.folders[Int(entry.folder)], String(decoding: name, as: UTF8.self), entry.look,
        entry.signature)
    }
  }

  /// Touches every byte that a reader of the image would.
  static func outputs(of image: SnapshotImage) -> [String] {
    var outputs: [String] = []
    _ = image.allSatisfy(in: 0..<image.count) { folder, name, look, signature in
      outputs.append(text(image.folders[folder], String(cString: name), look, signature))
      return true
    }
    if let asked = image.questions() {
      let (questions, asking) = (asked.questions, image.outputs(of: asked.entries))
      let texts = (0..<questions.count).map {
        "\(String(cString: questions.url($0))) \(questions.conditionLines($0)) \(questions.hosts[questions.host($0)])"
      }
      precondition(texts.count == asking.count { $0 == 0 })
    }
    return outputs
  }

  private static func text(
    _ folder: String, _ name: String, _ look: OutputLook, _ signature: FileSignature
  ) -> String {
    "\(folder)/\(name) \(look) \(signature)"
  }
}
