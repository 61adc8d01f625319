import Platform
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
  struct Problem: Error {
    var text: String
    /// The next step.
    var hint = "name a file in a folder that is there and can be written to"
  }

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
    if let what = place.conflict(with: project) {
      throw Problem(text: "it is \(what)", hint: "name another file")
    }
    if project.user.policy != nil,
      ReportPlace.isLed(path, in: Checkout.folder(of: project.workspace.place.root))
    {
      throw Problem(text: "a link in the checkout, which is not trusted, leads to \(place.path)")
    }
    if manner == .streamed || place.isSpecial {
      destination = .later(place)
    } else {
      try place.checkReplaceable()
      destination = .replace(place.path)
    }
  }

  /// Opens a streamed report, and empties it if it is a file.
  func open() throws(Problem) {
    guard case .later(let place) = destination else { return }
    let known = place.isSpecial ? Self.pipes.withLock { $0[place.path] } : nil
    let descriptor = if let known { known } else { try Self.open(place.path) }
    if place.isSpecial { Self.pipes.withLock { $0[place.path] = descriptor } }
    destination = .open(descriptor)
  }

  /// Pipes and devices that are open. They stay so: the reader of a pipe would end, and a command that begins again would wait
  /// for another one.
  private static let pipes = Monitor([String: Int32]())

  deinit {
    if case .open(let descriptor) = destination, place?.isSpecial != true {
      _ = Self.systemClose(descriptor)
    }
  }

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
    try Self.replace(path, with: held)
  }

  /// A report that is complete from the start, of a command without a project.
  static func write(whole text: String, to path: String) throws(Problem) {
    if isStandardOutput(path) { return Console.out(text) }
    let place = try ReportPlace(path)
    if place.isSpecial {
      let descriptor = try open(place.path)
      defer { _ = systemClose(descriptor) }
      return try write(text, to: descriptor)
    }
    try place.checkReplaceable()
    try replace(place.path, with: text)
  }

  private static func replace(_ path: String, with text: String) throws(Problem) {
    do throws(SystemError) {
      var new = try AtomicFile("\(path).syncmake-\(getpid())")
      if let old = unsafe try? FileStatus(path, in: AT_FDCWD, followingLinks: true) {
        try? new.file.setMode(old.mode & 0o777)
      }
      try new.file.write(Array(text.utf8))
      // Some file systems say only now that there was no room.
      try new.file.finish()
      try new.publish(as: path)
    } catch {
      throw Problem(text: error.text)
    }
  }

  // MARK: The system

  private static func open(_ path: String) throws(Problem) -> Int32 {
    do throws(SystemError) {
      return try call { systemOpen(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY) }
    } catch {
      throw Problem(text: error.text)
    }
  }

  /// Whether the file at `path` has these bytes.
  private static func holds(_ path: String, _ text: String) -> Bool {
    guard let file = try? Descriptor(path, in: AT_FDCWD, O_RDONLY),
      // One more, to see a longer file.
      let bytes = try? file.readAll(limit: text.utf8.count + 1)
    else { return false }
    return bytes.elementsEqual(text.utf8)
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

private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
