import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file that a run writes about itself.
final class ReportFile {
  enum Manner {
    /// Written as it comes, in whole lines.
    case streamed
    /// Written when it is complete; then it replaces an older file.
    case whole
    /// The same, but an older file with the same bytes is not changed, and keeps its time.
    case wholeIfChanged
  }

  /// Why it cannot be written, in the system's words or ours.
  struct Problem: Error { var text: String }

  private enum Destination {
    case standardOutput
    /// A file, pipe or device that nothing was done to yet.
    case later(ReportPlace)
    /// An open file, pipe or device, which is ours to close.
    case open(Int32)
    /// A file to replace at the end; links are followed.
    case replace(String)
  }

  /// Lines wait in memory up to this many bytes, or until the next ``flush()``.
  private static let enough = 16 << 10

  /// As the user named it.
  let path: String
  private var destination: Destination
  /// `nil` for standard output.
  let place: ReportPlace?
  private let isStreamed: Bool
  private let keepsSame: Bool
  private var held = ""

  static func isStandardOutput(_ path: String) -> Bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path)
  }

  /// Throws if the file cannot be written, or is one of the project's own; nothing is opened before ``open()``.
  init(_ path: String, _ manner: Manner, beside project: Project) throws(Problem) {
    self.path = path
    isStreamed = manner == .streamed
    keepsSame = manner == .wholeIfChanged
    guard !Self.isStandardOutput(path) else {
      (destination, place) = (.standardOutput, nil)
      return
    }
    let place = try ReportPlace(path)
    self.place = place
    if let what = place.conflict(with: project) { throw Problem(text: "it is \(what)") }
    if manner == .streamed || place.isSpecial {
      destination = .later(place)
    } else {
      try place.checkReplaceable()
      destination = .replace(place.path)
    }
  }

  /// Opens a streamed report, and empties it if it is a file.
  func open() throws(Problem) {
    if case .later(let place) = destination { destination = .open(try Self.open(place.path)) }
  }

  deinit { if case .open(let descriptor) = destination { _ = Self.systemClose(descriptor) } }

  /// Takes whole lines.
  func write(_ text: String) throws(Problem) {
    held += text
    if isStreamed, held.utf8.count >= Self.enough { try flush() }
  }

  /// Writes the buffered part of a streamed file.
  func flush() throws(Problem) {
    guard isStreamed, !held.isEmpty else { return }
    try handOn()
  }

  /// Hands on the rest, and puts the file in place.
  func close() throws(Problem) {
    if case .replace(let path) = destination { try replace(path) } else { try handOn() }
  }

  private func handOn() throws(Problem) {
    let text = held
    held = ""
    switch destination {
    case .standardOutput: Console.out(text)
    case .open(let descriptor): try Self.write(text, to: descriptor)
    case .later, .replace: break
    }
  }

  private func replace(_ path: String) throws(Problem) {
    if keepsSame, Self.holds(path, held) { return }
    let staged = "\(path).syncmake-\(getpid())"
    _ = unsafe unlink(staged)
    let descriptor = try Self.open(staged, O_EXCL)
    do throws(Problem) {
      var old = stat()
      if unsafe stat(path, &old) == 0 { _ = fchmod(descriptor, old.st_mode & 0o777) }
      do throws(Problem) { try Self.write(held, to: descriptor) } catch {
        _ = Self.systemClose(descriptor)
        throw error
      }
      guard Self.systemClose(descriptor) == 0, unsafe rename(staged, path) == 0 else { throw .present }
    } catch {
      _ = unsafe unlink(staged)
      throw error
    }
  }

  // MARK: The system

  private static func open(_ path: String, _ more: Int32 = 0) throws(Problem) -> Int32 {
    var descriptor: Int32
    repeat {
      descriptor = systemOpen(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | more)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw .present }
    return descriptor
  }

  /// Whether the file at `path` has these bytes.
  private static func holds(_ path: String, _ text: String) -> Bool {
    let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { _ = systemClose(descriptor) }
    // One more, to see a longer file.
    var bytes = [UInt8](repeating: 0, count: text.utf8.count + 1)
    var count = 0
    while count < bytes.count {
      let more = unsafe bytes.withUnsafeMutableBytes {
        unsafe systemRead(descriptor, UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
      }
      if more < 0, errno == EINTR { continue }
      if more <= 0 { break }
      count += more
    }
    return bytes[..<count].elementsEqual(text.utf8)
  }

  static func write(_ text: String, to descriptor: Int32) throws(Problem) {
    let code = StreamWrite.all(text, to: descriptor)
    guard code == 0 else { throw unsafe Problem(text: String(cString: strerror(code))) }
  }

  private static func systemClose(_ descriptor: Int32) -> Int32 { closeDescriptor(descriptor) }
}

extension ReportFile.Problem {
  /// The present `errno`.
  static var present: Self { unsafe Self(text: String(cString: strerror(errno))) }
}

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags, 0o666) }

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
  unsafe read(descriptor, bytes.baseAddress, bytes.count)
}

private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
