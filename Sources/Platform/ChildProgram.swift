import CSystemShim

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Another program that is run to its end: what it reads is given, and what it writes is collected.
package enum ChildProgram {
  /// How it ended, and what it has written.
  package struct Ending: Sendable, Equatable {
    /// The exit status; `nil` if a signal ended it.
    package var status: Int32?
    /// What it wrote to its standard output.
    package var output: [UInt8]
    /// The beginning of what it wrote to its standard error.
    package var errors: [UInt8]
  }

  /// Why there is no ending.
  package enum Fault: Error, Sendable, Equatable {
    /// It cannot be started.
    case unstartable(SystemError)
    /// It took longer than it may; `errors` is the beginning of its standard error.
    case late(errors: [UInt8])
    /// It wrote more than it may.
    case tooLong
    /// It was not waited for.
    case stopped
  }

  /// The limits of one run.
  package struct Limits: Sendable {
    /// From its start to its end.
    package var time: Duration
    /// Of its standard output, in bytes; of its standard error the rest is dropped.
    package var output: Int

    /// `output` is in bytes.
    package init(time: Duration, output: Int) {
      self.time = time
      self.output = output
    }
  }

  /// Blocks until the program has ended; kills it, and what it has started, for every ``Fault``.
  ///
  /// - Parameters:
  ///   - path: of the program itself; no shell reads it.
  ///   - environment: all that it gets, as `NAME=value`.
  ///   - input: its whole standard input.
  ///   - isInVain: asked now and then; ``Fault/stopped`` follows.
  package static func run(
    _ path: String, _ arguments: [String], environment: [String], input: [UInt8], limits: Limits,
    isInVain: () -> Bool
  ) throws(Fault) -> Ending {
    let child: RunningChild
    do throws(SystemError) {
      child = try RunningChild(path, arguments, environment, input)
    } catch {
      throw .unstartable(error)
    }
    let end = SystemClock.monotonic() + limits.time
    while true {
      let isOver = child.step()
      if child.output.count > limits.output { throw .tooLong }
      if isOver { return child.ending }
      if isInVain() { throw .stopped }
      if SystemClock.monotonic() >= end { throw .late(errors: child.errors) }
    }
  }
}

/// A program from its start to its end; one that still runs is killed with its process group.
private final class RunningChild {
  private static let mostErrors = 4096
  /// In bytes, of each stream.
  private static let mostAtOnce = 128 << 10
  /// More than a pipe holds; what the program has started may go on writing.
  private static let mostLeft = 2 << 20
  private static let pauseMilliseconds: Int32 = 20

  private(set) var output: [UInt8] = []
  private(set) var errors: [UInt8] = []
  private let identifier: pid_t
  private var waitStatus: Int32?
  private var rest: ArraySlice<UInt8>
  private var input: Descriptor
  private var outputs: Descriptor
  private var errorOutputs: Descriptor

  init(_ path: String, _ arguments: [String], _ environment: [String], _ input: [UInt8]) throws(SystemError) {
    let toChild = try Self.pipe()
    self.input = Descriptor(owning: toChild.writing)
    var theirInput = Descriptor(owning: toChild.reading)
    let fromChild = try Self.pipe()
    outputs = Descriptor(owning: fromChild.reading)
    var theirOutput = Descriptor(owning: fromChild.writing)
    let errorsOfChild = try Self.pipe()
    errorOutputs = Descriptor(owning: errorsOfChild.reading)
    var theirErrors = Descriptor(owning: errorsOfChild.writing)
    for end in [toChild.writing, fromChild.reading, errorsOfChild.reading] {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    rest = input[...]
    identifier = try Self.spawn(
      path, arguments, environment, [theirInput.raw, theirOutput.raw, theirErrors.raw])
    // Else its end would never show.
    theirInput.close()
    theirOutput.close()
    theirErrors.close()
  }

  deinit {
    guard waitStatus == nil else { return }
    kill(-identifier, SIGKILL)
    kill(identifier, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
  }

  var ending: ChildProgram.Ending {
    let status = waitStatus ?? 0
    return ChildProgram.Ending(
      status: status & 0x7f == 0 ? (status >> 8) & 0xff : nil, output: output, errors: errors)
  }

  /// Passes on what can be passed on, or waits a moment; returns whether the program has ended.
  func step() -> Bool {
    var status: Int32 = 0
    let ended = unsafe waitpid(identifier, &status, WNOHANG)
    // Where SIGCHLD is ignored, nobody is told how a program has ended, only that it is gone.
    let hasEnded = ended == identifier || (ended < 0 && errno == ECHILD)
    if hasEnded { waitStatus = status }
    write()
    // What an ended program has left in the pipes is all read.
    let most = hasEnded ? Self.mostLeft : Self.mostAtOnce
    Self.read(&outputs, into: &output, most: most)
    Self.read(&errorOutputs, into: &errors, most: most)
    if errors.count > Self.mostErrors { errors = Array(errors.prefix(Self.mostErrors)) }
    if !hasEnded { wait() }
    return hasEnded
  }

  private func wait() {
    var ends = [
      pollfd(fd: input.raw, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: outputs.raw, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errorOutputs.raw, events: Int16(POLLIN), revents: 0),
    ]
    _ = unsafe poll(&ends, 3, Self.pauseMilliseconds)
  }

  private func write() {
    while input.raw >= 0 {
      guard !rest.isEmpty else { return input.close() }
      let end = input.raw
      let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(end, $0) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        // One that does not read what it is asked may know it anyway.
        if errno != EAGAIN { input.close() }
        return
      }
    }
  }

  /// At most `most` bytes and one block: between two calls the limits are looked at.
  private static func read(_ end: inout Descriptor, into bytes: inout [UInt8], most: Int) {
    let start = bytes.count
    while end.raw >= 0, bytes.count - start <= most {
      var block = [UInt8](repeating: 0, count: 16 << 10)
      let raw = end.raw
      let count = unsafe block.withUnsafeMutableBytes { unsafe systemRead(raw, $0) }
      if count > 0 {
        bytes += block[..<count]
      } else if count == 0 {
        end.close()
      } else if errno != EINTR {
        return
      }
    }
  }

  private static func pipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
    // Another program that got an end would keep this one from seeing that its input has ended.
    var ends: [Int32] = [-1, -1]
    try call { unsafe syncmake_pipe(&ends) }
    return (ends[0], ends[1])
  }

  /// `streams` become its standard streams, in their order.
  private static func spawn(
    _ path: String, _ arguments: [String], _ environment: [String], _ streams: [Int32]
  ) throws(SystemError) -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for (number, stream) in streams.enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
    }
    // This process blocks and ignores signals, which a new one would inherit. In a group of its own it can be ended
    // with all that it has started.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGPIPE, SIGXFSZ] { unsafe sigaddset(&signals, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    var flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
    #if canImport(Darwin)
      flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
    #endif
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    let words = CStringList([path] + arguments)
    let variables = CStringList(environment)
    var identifier: pid_t = 0
    let code = withExtendedLifetime((words, variables)) {
      unsafe posix_spawn(&identifier, path, &actions, &attributes, words.pointers, variables.pointers)
    }
    guard code == 0 else { throw SystemError(code) }
    return identifier
  }
}

/// A null-ended list of C strings, freed with its owner.
@safe private final class CStringList {
  private(set) var pointers: [UnsafeMutablePointer<CChar>?]

  init(_ strings: [String]) { unsafe pointers = strings.map { unsafe strdup($0) } + [nil] }

  deinit { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
}

// Under other names, since the type's own methods hide them.
private func systemRead(_ raw: Int32, _ block: UnsafeMutableRawBufferPointer) -> Int {
  unsafe read(raw, block.baseAddress, block.count)
}

private func systemWrite(_ raw: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe write(raw, bytes.baseAddress, bytes.count)
}
