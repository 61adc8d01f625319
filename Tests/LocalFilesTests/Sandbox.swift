import Foundation
import SyncModel
import SyncTestSupport

@testable import LocalFiles

/// A folder for one test, with a root and a state folder in it; it is removed with its last reference.
final class Sandbox: @unchecked Sendable {
  let path: String
  let rootPath: String
  let statePath: String
  let root: RootFolder
  let state: StateFolder

  /// `statePath` is elsewhere for tests of two devices; `base` is another place for everything.
  init(statePath: String? = nil, base: String? = nil) throws {
    let base = base ?? FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
    path = base + "/localfiles-" + UUID().uuidString
    rootPath = path + "/root"
    self.statePath = statePath ?? path + "/state"
    try FileManager.default.createDirectory(atPath: rootPath, withIntermediateDirectories: true)
    root = try RootFolder(path: rootPath)
    state = try StateFolder(path: self.statePath)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    try? FileManager.default.removeItem(atPath: statePath)
  }

  /// The absolute path of something in the root.
  func at(_ relative: String) -> String { rootPath + "/" + relative }

  func put(_ text: String, at relative: String) throws {
    try put(text, atPath: at(relative))
  }

  func put(_ text: String, atPath path: String) throws {
    let folder = (path as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  func folder(_ relative: String) throws {
    try FileManager.default.createDirectory(atPath: at(relative), withIntermediateDirectories: true)
  }

  func link(_ relative: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: at(relative), withDestinationPath: target)
  }

  func text(_ relative: String) -> String? { text(atPath: at(relative)) }

  func text(atPath path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Names in a folder of the root, sorted.
  func names(_ relative: String = ".") -> [String] { names(atPath: at(relative)) }

  func names(atPath path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  var stagingNames: [String] { names(atPath: statePath + "/staging") }
  var partialNames: [String] { names(atPath: statePath + "/partial") }

  /// Permission bits of something in the root.
  func mode(_ relative: String) -> UInt16? {
    var status = stat()
    guard lstat(at(relative), &status) == 0 else { return nil }
    return UInt16(status.st_mode & 0o7777)
  }

  /// A file with `text` that is to become `output`.
  func staged(_ text: String, for output: RelativePath) throws -> StagedFile {
    let file = try StagedFile.create(in: state, for: output, root: root)
    try file.write(text)
    // Otherwise a few bytes would wait in memory.
    try file.sync()
    return file
  }

  /// Writes `text` to `output` as a run does.
  @discardableResult
  func publish(_ text: String, to output: RelativePath, mode: UInt16? = nil) throws -> FileSignature {
    try staged(text, for: output).publish(
      over: root.observe(output), mode: mode, modified: nil, expectedDigest: nil)
  }
}

extension RelativePath {
  /// A path that the test knows to be good.
  static func path(_ text: String) -> RelativePath {
    guard let path = try? RelativePath(text) else { preconditionFailure("not a path: \(text)") }
    return path
  }
}

extension StagedFile {
  func write(_ text: String) throws(FailureCause) {
    var text = text
    try text.withUTF8Bytes { bytes throws(FailureCause) in try write(bytes) }
  }
}

extension PartialDownload {
  func append(_ text: String) throws(FailureCause) {
    var text = text
    try text.withUTF8Bytes { bytes throws(FailureCause) in try append(bytes) }
  }

  /// All of it.
  func text() throws -> String {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
    defer { buffer.deallocate() }
    var bytes: [UInt8] = []
    while case let count = try read(at: Int64(bytes.count), into: buffer), count > 0 {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension ReadableFile {
  /// All of it, in small pieces.
  func text() throws -> String {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 1)
    defer { buffer.deallocate() }
    var bytes: [UInt8] = []
    while case let count = try read(into: buffer), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension String {
  fileprivate mutating func withUTF8Bytes<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let result = withUTF8 { bytes in
      Result { () throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }
    try result.get()
  }
}

#if os(Linux)
  /// The numbers of this process's open files below `path`.
  func openDescriptors(below path: String) -> [Int32] {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return numbers.compactMap(Int32.init).filter { number in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
      return target?.hasPrefix(path) ?? false
    }
  }

  /// Runs `body`, on this thread, with only the rights that modes grant, even if tests run as root.
  @discardableResult
  func asOrdinaryUser<Result>(_ body: () throws -> Result) throws -> Result {
    guard geteuid() == 0 else { return try body() }
    typealias SetID = @convention(c) (UInt32) -> Int32
    guard let setUser = dlsym(nil, "setfsuid").map({ unsafeBitCast($0, to: SetID.self) }) else {
      throw POSIXError(.ENOSYS)
    }
    _ = setUser(65534)
    defer { _ = setUser(0) }
    return try body()
  }

  /// A place on another file system than that of temporary files.
  let otherDevice = "/dev/shm"
#endif

/// Whether the tests may mount file systems.
let mayMount = geteuid() == 0

/// Runs a program to its end and gives its exit status; `nil` if a signal ended it.
@discardableResult
func run(_ program: String, _ arguments: String...) throws -> Int32? {
  try runProcess(program, arguments).status
}
