import Foundation
import Platform
import SyncModel
import Testing

@testable import LocalFiles

@Suite struct CacheFolderTests {
  let box: Sandbox
  let path: String
  init() throws {
    box = try Sandbox()
    path = box.path + "/caches/mine"
  }

  private func cache() throws -> CacheFolder { try CacheFolder(path: path, isMade: true) }

  private static func name(_ byte: UInt8) -> HexDigest { HexDigest(bytes: Array(repeating: byte, count: 32)) }

  private static func place(_ byte: UInt8) -> String {
    let name = name(byte).text
    return "cas/\(name.prefix(2))/\(name)"
  }

  private func add(_ text: String, _ byte: UInt8, to cache: CacheFolder) throws {
    let file = try cache.newFile()
    var text = text
    try text.withUTF8 { try file.append(UnsafeRawBufferPointer($0)) }
    try cache.add(file, as: Self.name(byte))
  }

  private func text(_ byte: UInt8, in cache: CacheFolder) throws -> String? {
    try cache.open(Self.name(byte))?.text()
  }

  // MARK: Trust

  @Test func `a value is the owner's only if nobody else could have written it`() throws {
    var cache = try cache()
    try cache.set(Self.name(0xA1), Array("one".utf8))
    // Nobody else gets into the folder as it is made.
    #expect(chmod(path + "/ac", 0o777) == 0 && cache.isOwn(value: Self.name(0xA1)))
    #expect(chmod(path + "/ac", 0o755) == 0 && chmod(path, 0o755) == 0)
    cache = try CacheFolder(path: path, isMade: false)
    #expect(cache.isOwn(value: Self.name(0xA1)) && !cache.isOwn(value: Self.name(0xA2)))
    let text = Self.name(0xA1).text
    for place in ["ac", "ac/\(text.prefix(2))", "ac/\(text.prefix(2))/\(text)"] {
      let mode = try FileStatus("\(path)/\(place)", in: AT_FDCWD).mode
      for open in [mode | 0o020, mode | 0o002] {
        #expect(chmod("\(path)/\(place)", mode_t(open)) == 0)
        #expect(!cache.isOwn(value: Self.name(0xA1)), "\(place) \(open)")
      }
      #expect(chmod("\(path)/\(place)", mode_t(mode)) == 0)
      #expect(cache.isOwn(value: Self.name(0xA1)))
    }
  }

  @Test func `what cannot be listed is a fault, and a file that cannot be read has not gone`() throws {
    let cache = try cache()
    #expect(cache.fault == nil && cache.isGone(Self.name(0xA1)))
    try add("one", 0xA1, to: cache)
    #expect(cache.fault == nil && !cache.isGone(Self.name(0xA1)))
    try Data().write(to: URL(fileURLWithPath: path + "/cas/b2"))
    #expect(cache.fault == nil && cache.unreadable.isEmpty)
    try FileManager.default.removeItem(atPath: path + "/cas/b2")
    try FileManager.default.createSymbolicLink(atPath: path + "/cas/b2", withDestinationPath: "nowhere")
    #expect(cache.fault == nil && cache.unreadable == [path + "/cas/b2"])
    try FileManager.default.removeItem(atPath: path + "/cas/b2")
    #expect(cache.unreadable.isEmpty)
    try Data().write(to: URL(fileURLWithPath: path + "/ac"))
    #expect(try CacheFolder(path: path, isMade: false).fault != nil)
  }

  // MARK: Files

  @Test func `a file appears under its digest, read-only, and nothing else is left`() throws {
    let cache = try cache()
    try add("one", 0xA1, to: cache)
    #expect(box.text(atPath: "\(path)/\(Self.place(0xA1))") == "one")
    #expect(try text(0xA1, in: cache) == "one")
    #expect(cache.size(of: Self.name(0xA1)) == 3)
    #expect(box.names(atPath: path + "/tmp") == [])
    #expect(box.names(atPath: path).contains("CACHEDIR.TAG"))
    var status = stat()
    #expect(lstat("\(path)/\(Self.place(0xA1))", &status) == 0 && status.st_mode & 0o222 == 0)
    #expect(lstat(path, &status) == 0 && status.st_mode & 0o077 == 0)
  }

  @Test func `a folder that has something else gets no tag, by which backups would leave that out`() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: path + "/thesis.txt"))
    let cache = try cache()
    try add("one", 0xA1, to: cache)
    #expect(try text(0xA1, in: cache) == "one")
    #expect(!box.names(atPath: path).contains("CACHEDIR.TAG"))
  }

  @Test func `a file that was given up leaves nothing`() throws {
    let cache = try cache()
    do {
      let file = try cache.newFile()
      var text = "half"
      try text.withUTF8 { try file.append(UnsafeRawBufferPointer($0)) }
    }
    #expect(box.names(atPath: path + "/tmp") == [])
    #expect(cache.contents() == CacheContents())
  }

  @Test func `a second copy replaces the first, whose bytes nobody has looked at`() throws {
    let cache = try cache()
    try add("one", 0xA1, to: cache)
    let place = path + "/" + Self.place(0xA1)
    let other = path + "/other-name"
    #expect(link(place, other) == 0)
    let reader = try #require(cache.open(Self.name(0xA1)))
    // The same size, another size, and nothing that could be read.
    for text in ["two", "longer", "short"] {
      try add(text, 0xA1, to: cache)
      #expect(try self.text(0xA1, in: cache) == text)
      #expect(box.names(atPath: path + "/tmp") == [])
      #expect(chmod(place, 0) == 0)
    }
    // Whoever has the first one keeps it.
    #expect(try reader.text() == "one" && box.text(atPath: other) == "one")
  }

  @Test func `a body goes on from where it was cut`() throws {
    let cache = try cache()
    let file = try cache.newFile()
    for piece in ["one", "xx"] {
      var piece = piece
      try piece.withUTF8 { try file.append(UnsafeRawBufferPointer($0)) }
    }
    try file.truncate(to: 3)
    var rest = "two"
    try rest.withUTF8 { try file.append(UnsafeRawBufferPointer($0)) }
    try cache.add(file, as: Self.name(1))
    #expect(try text(1, in: cache) == "onetwo")
  }

  // MARK: Strange things in it

  @Test func `links in it are not followed`() throws {
    let cache = try cache()
    try add("one", 0xA1, to: cache)
    try box.put("secret", at: "elsewhere")
    let place = path + "/" + Self.place(0xB2)
    try FileManager.default.createDirectory(
      atPath: path + "/cas/b2", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: box.at("elsewhere"))
    #expect(cache.open(Self.name(0xB2)) == nil)
    #expect(cache.size(of: Self.name(0xB2)) == nil)
    // It is replaced, and what it led to stays.
    try add("two", 0xB2, to: cache)
    #expect(try text(0xB2, in: cache) == "two")
    #expect(box.text("elsewhere") == "secret")

    try box.put("secret", at: "others/" + Self.name(0xC3).text)
    try FileManager.default.createSymbolicLink(
      atPath: path + "/cas/c3", withDestinationPath: box.at("others"))
    #expect(cache.open(Self.name(0xC3)) == nil)

    try FileManager.default.removeItem(atPath: path + "/cas")
    try box.folder("other")
    try FileManager.default.createSymbolicLink(atPath: path + "/cas", withDestinationPath: box.at("other"))
    #expect(cache.open(Self.name(0xA1)) == nil)
    #expect(throws: SystemError.self) { try add("one", 0xA1, to: cache) }
    #expect(box.names("other") == [])
  }

  @Test func `a folder or a device with the name of a file is a miss`() throws {
    let cache = try cache()
    try FileManager.default.createDirectory(
      atPath: path + "/" + Self.place(1), withIntermediateDirectories: true)
    #expect(cache.open(Self.name(1)) == nil)
    try FileManager.default.createDirectory(atPath: path + "/cas/02", withIntermediateDirectories: true)
    #expect(mkfifo(path + "/" + Self.place(2), 0o600) == 0)
    #expect(cache.open(Self.name(2)) == nil)
    #expect(cache.size(of: Self.name(2)) == nil)
  }

  @Test func `a folder is made by those who write, and by nobody else`() throws {
    #expect(throws: CacheFault.missing) { try CacheFolder(path: path, isMade: false) }
    #expect(box.names(atPath: box.path + "/caches") == [])
    try box.put("", atPath: path)
    #expect(throws: CacheFault.system("Not a directory")) { try CacheFolder(path: path, isMade: true) }
  }

  @Test func `what others may write to is not this user's own`() throws {
    #expect(try cache().isOwn)
    #expect(chmod(path, 0o775) == 0)
    #expect(try !cache().isOwn)
  }

  @Test(.enabled(if: geteuid() == 0)) func `another user's folder is refused`() throws {
    _ = try cache()
    #expect(chown(path, 1, 1) == 0)
    #expect(throws: CacheFault.belongs(to: "daemon")) { try CacheFolder(path: path, isMade: true) }
  }

  // MARK: Values

  @Test func `a value replaces the one before, and a long one is not read`() throws {
    let cache = try cache()
    #expect(cache.value(Self.name(1), limit: 10) == nil)
    try cache.set(Self.name(1), [1, 2, 3])
    try cache.set(Self.name(1), [4])
    #expect(cache.value(Self.name(1), limit: 10) == [4])
    try cache.set(Self.name(1), Array(repeating: 0, count: 11))
    #expect(cache.value(Self.name(1), limit: 10) == nil)
    #expect(box.names(atPath: path + "/tmp") == [])
  }

  // MARK: Upkeep

  private func age(_ byte: UInt8, seconds: Int) {
    var times = [timeval(tv_sec: seconds, tv_usec: 0), timeval(tv_sec: seconds, tv_usec: 0)]
    #expect(utimes(path + "/" + Self.place(byte), &times) == 0)
  }

  @Test func `what was used least recently goes first`() throws {
    let cache = try cache()
    for byte in 1...4 as ClosedRange<UInt8> {
      try add("12345", byte, to: cache)
      age(byte, seconds: 1000 + Int(byte))
    }
    cache.noteUse(of: try #require(cache.open(Self.name(1))))
    _ = cache.open(Self.name(2))
    let (removed, kept) = cache.prune(maxSize: 12, unusedSince: nil) { _, _ in false }
    #expect(kept == 0)
    #expect(removed.files == 2 && removed.bytes == 10)
    #expect(cache.size(of: Self.name(1)) == 5 && cache.size(of: Self.name(4)) == 5)
    #expect(cache.prune(maxSize: 12, unusedSince: nil) { _, _ in false }.removed == CacheContents())
  }

  @Test func `what was not used for a while goes, with its values`() throws {
    let cache = try cache()
    try add("old", 1, to: cache)
    try add("new", 2, to: cache)
    age(1, seconds: 1000)
    try cache.set(Self.name(8), [1])
    try cache.set(Self.name(9), [2])
    let removed = cache.prune(maxSize: nil, unusedSince: Timestamp(seconds: 2000)) { value, cache in
      cache.size(of: Self.name(value[0])) == nil
    }.removed
    #expect(removed.files == 1 && removed.values == 1)
    #expect(cache.value(Self.name(8), limit: 9) == nil && cache.value(Self.name(9), limit: 9) == [2])
  }

  @Test func `a run leaves a tenth free, and keeps what is recorded`() throws {
    let cache = try cache()
    for byte in 1...10 as ClosedRange<UInt8> {
      try add("12345", byte, to: cache)
      age(byte, seconds: 1000 + Int(byte))
    }
    try cache.set(Self.name(1), [1])
    let moment = Timestamp(seconds: 0)
    #expect(cache.trim(maxSize: 50, unfinishedBefore: moment) { 0 } == CacheContents())
    let removed = cache.trim(maxSize: 45, unfinishedBefore: moment) { 0 }
    #expect(removed.files == 2 && removed.bytes == 10 && removed.values == 0)
    #expect(cache.size(of: Self.name(2)) == nil && cache.size(of: Self.name(3)) == 5)
    #expect(cache.value(Self.name(1), limit: 9) == [1])
    #expect(box.names(atPath: path + "/locks") == [])
  }

  @Test func `with the files that a run removes go their records, as far as there is time`() throws {
    let cache = try cache()
    for byte in 1...4 as ClosedRange<UInt8> {
      try add("12345", byte, to: cache)
      age(byte, seconds: 1000 + Int(byte))
      try cache.set(Self.name(byte), [byte])
    }
    func trim(to size: Int64, _ spent: () -> Double) -> CacheContents {
      cache.trim(
        maxSize: size, unfinishedBefore: Timestamp(seconds: 0),
        isOrphan: { value, cache in cache.isGone(Self.name(value[0])) }, spent: spent)
    }
    let removed = trim(to: 15) { 0 }
    #expect(removed.files == 2 && removed.values == 2)
    #expect(cache.value(Self.name(2), limit: 9) == nil && cache.value(Self.name(3), limit: 9) == [3])
    // The time is over once a file has gone.
    let late = trim(to: 5) { cache.isGone(Self.name(3)) ? 1 : 0 }
    #expect(late.files == 1 && late.values == 0)
    #expect(cache.value(Self.name(3), limit: 9) == [3])
  }

  @Test func `one run trims at a time, and no longer than it may`() throws {
    let cache = try cache()
    for byte in 1...4 as ClosedRange<UInt8> { try add("12345", byte, to: cache) }
    let moment = Timestamp(seconds: 0)
    do {
      let other = CacheLock.ofUpkeep(in: try CacheFolder(path: path, isMade: true))
      #expect(cache.trim(maxSize: 0, unfinishedBefore: moment) { 0 } == CacheContents())
      if case .busy = other { Issue.record("the lock was not held") }
    }
    #expect(cache.trim(maxSize: 0, unfinishedBefore: moment) { 1 } == CacheContents())
    // The search has taken its half, and something is removed nevertheless: two entries are seen, and one goes.
    var looks = 0
    let removed = cache.trim(maxSize: 0, unfinishedBefore: moment) {
      looks += 1
      return looks < 3 ? 0.2 : looks < 5 ? 0.6 : 1
    }
    #expect(removed.files == 1 && cache.contents().files == 3)
  }

  @Test(.enabled(if: geteuid() != 0)) func `only what was really removed is counted`() throws {
    let cache = try cache()
    try add("one", 1, to: cache)
    #expect(chmod(path + "/cas/01", 0o500) == 0)
    defer { chmod(path + "/cas/01", 0o700) }
    let (removed, kept) = cache.prune(maxSize: 0, unusedSince: nil) { _, _ in true }
    #expect(removed == CacheContents() && kept == 1)
  }

  @Test func `a folder in a file's place is not taken for the file`() throws {
    let cache = try cache()
    try box.put("x", atPath: "\(path)/\(Self.place(1))/x")
    #expect(throws: SystemError.self) { try add("one", 1, to: cache) }
    #expect(cache.size(of: Self.name(1)) == nil)
    #expect(box.names(atPath: path + "/tmp") == [])
  }

  @Test func `foreign files are neither counted nor removed`() throws {
    let cache = try cache()
    try add("one", 1, to: cache)
    try box.put("x", atPath: path + "/cas/01/README")
    try box.put("x", atPath: path + "/cas/02/" + Self.name(1).text)
    try box.put("x", atPath: path + "/cas/01/" + Self.name(0xAB).text.uppercased())
    #expect(cache.contents().files == 1)
    cache.prune(maxSize: 0, unusedSince: nil) { _, _ in true }
    #expect(box.names(atPath: path + "/cas/01").count == 2)
    #expect(box.names(atPath: path + "/cas/02").count == 1)
  }

  // MARK: Locks

  private func isHeld(_ attempt: CacheLock.Attempt) -> CacheLock? {
    if case .held(let lock) = attempt { lock } else { nil }
  }

  @Test func `one run at a time has a lock, and the next one gets it`() throws {
    let cache = try cache()
    var first = isHeld(CacheLock.attempt(Self.name(1), in: cache))
    #expect(first != nil)
    let other = try CacheFolder(path: path, isMade: true)
    #expect(isHeld(CacheLock.attempt(Self.name(1), in: other)) == nil)
    #expect(isHeld(CacheLock.attempt(Self.name(2), in: other)) != nil)
    first = nil
    #expect(first == nil)
    #expect(isHeld(CacheLock.attempt(Self.name(1), in: other)) != nil)
    #expect(box.names(atPath: path + "/locks") == [])
  }

  @Test func `a lock is busy with a sign of its holder's life`() throws {
    let cache = try cache()
    let lock = try #require(isHeld(CacheLock.attempt(Self.name(1), in: cache)))
    var times = [timeval(tv_sec: 1000, tv_usec: 0), timeval(tv_sec: 1000, tv_usec: 0)]
    #expect(utimes("\(path)/locks/\(Self.name(1).text)", &times) == 0)
    guard case .busy(let old) = CacheLock.attempt(Self.name(1), in: cache) else {
      Issue.record("not busy")
      return
    }
    #expect(old == Timestamp(seconds: 1000))
    lock.giveSign()
    guard case .busy(let new) = CacheLock.attempt(Self.name(1), in: cache) else {
      Issue.record("not busy")
      return
    }
    #expect(new > old)
  }

  @Test func `a lock that a killed run has left goes, and one that is held stays`() throws {
    let cache = try cache()
    let held = try #require(isHeld(CacheLock.attempt(Self.name(1), in: cache)))
    try box.put("", atPath: "\(path)/locks/\(Self.name(2).text)")
    try box.put("mine", atPath: path + "/locks/notes.txt")
    cache.clearUnfinished(before: Timestamp(seconds: 0))
    #expect(box.names(atPath: path + "/locks").count == 3)
    cache.clearUnfinished(before: Timestamp(seconds: 1 << 40))
    #expect(box.names(atPath: path + "/locks") == [Self.name(1).text, "notes.txt"])
    withExtendedLifetime(held) {}
  }

  @Test func `where no lock can be made nobody waits`() throws {
    let cache = try cache()
    try box.put("", atPath: path + "/locks")
    guard case .held(nil) = CacheLock.attempt(Self.name(1), in: cache) else {
      Issue.record("a lock without a place")
      return
    }
  }
}
