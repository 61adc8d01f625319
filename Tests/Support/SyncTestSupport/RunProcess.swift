import Foundation

/// A failed system call of the test harness itself.
package struct ProcessFailure: Error, CustomStringConvertible {
  package let call: String
  package let code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// The result of a process.
package struct ProcessResult: Sendable, Equatable {
  /// The exit status; `nil` if a signal ended it.
  package var status: Int32?
  /// The signal that ended it; `nil` if it exited.
  package var signal: Int32?
  package var stdout: String
  package var stderr: String
  /// Whether it was killed because its time was up.
  package var timedOut = false
}

/// Runs a program to its end, with nothing on its standard input; kills it when its time is up.
///
/// `environment` is all that it gets, but for a sanitizer's options; `nil` for this process's own. Its process group is
/// its own.
@discardableResult
package func runProcess(
  _ executable: String, _ arguments: [String] = [], environment: [String: String]? = nil,
  currentDirectory: String? = nil, timeoutSeconds: Double = 20 * TestTools.slowness
) throws -> ProcessResult {
  try startProcess(
    executable, arguments, environment: environment, currentDirectory: currentDirectory
  ).wait(seconds: timeoutSeconds)
}

/// Starts a program; see ``runProcess(_:_:environment:currentDirectory:timeoutSeconds:)``.
package func startProcess(
  _ executable: String, _ arguments: [String] = [], environment: [String: String]? = nil,
  currentDirectory: String? = nil
) throws -> RunningProcess {
  // Whoever runs the tests may have a configuration and caches of their own.
  let own = {
    ProcessInfo.processInfo.environment.merging([
      "SYNCMAKE_CONFIG": "off", "SYNCMAKE_CACHE": "off", "SYNCMAKE_REMOTE_CACHE": "off",
    ]) { $1 }
  }
  var environment = environment ?? own()
  // The leaks that the address sanitizer must not report, if the tests run under it.
  if let options = ProcessInfo.processInfo.environment["LSAN_OPTIONS"] {
    environment["LSAN_OPTIONS"] = options
  }
  return try RunningProcess(
    executable: executable, arguments: arguments, environment: environment,
    currentDirectory: currentDirectory)
}

/// A started program; it is killed if its end is never waited for.
package final class RunningProcess: Sendable {
  private struct State {
    var stdout: [UInt8] = []
    var stderr: [UInt8] = []
    var openStreams = 2
    /// As `waitpid` gave it.
    var waitStatus: Int32?
  }

  package let identifier: Int32
  private let state = Monitor(State())
  /// One is started at a time: a program that another thread starts before a pipe is marked as not inherited would hold it
  /// open as long as it runs.
  private static let start = NSLock()

  fileprivate init(
    executable: String, arguments: [String], environment: [String: String], currentDirectory: String?
  ) throws {
    Self.start.lock()
    defer { Self.start.unlock() }
    let out = try Self.makePipe()
    let err = try Self.makePipe()
    defer {
      close(out.writing)
      close(err.writing)
    }
    do {
      identifier = try Self.spawn(
        executable, arguments, environment, currentDirectory, stdout: out.writing, stderr: err.writing)
    } catch {
      close(out.reading)
      close(err.reading)
      throw error
    }
    collect(out.reading, into: \.stdout)
    collect(err.reading, into: \.stderr)
    let identifier = identifier
    Thread.detachNewThread { [state] in
      var status: Int32 = 0
      while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
      let ended = status
      state.withLock { $0.waitStatus = ended }
    }
  }

  deinit { send(SIGKILL) }

  /// Sends a signal, unless the program has ended.
  package func send(_ signal: Int32) {
    state.withLock { if $0.waitStatus == nil { kill(identifier, signal) } }
  }

  /// Whether it still runs.
  package var isRunning: Bool { state.withLock { $0.waitStatus == nil } }

  /// Its standard error so far.
  package var standardErrorSoFar: String { state.withLock { String(decoding: $0.stderr, as: UTF8.self) } }

  /// Waits until its standard error is as expected or it has ended; returns whether it is as expected.
  package func waitForStandardError(seconds: Double = 10, until isTrue: (String) -> Bool) -> Bool {
    func matches(_ state: State) -> Bool { isTrue(String(decoding: state.stderr, as: UTF8.self)) }
    _ = state.wait(seconds: seconds) { matches($0) || ($0.waitStatus != nil && $0.openStreams == 0) }
    return state.withLock { matches($0) }
  }

  /// Waits for its end, and kills it, and its children, when the time is up.
  package func wait(seconds: Double = 20) -> ProcessResult {
    let isOver = state.wait(seconds: seconds) { $0.waitStatus != nil && $0.openStreams == 0 }
    if !isOver {
      kill(-identifier, SIGKILL)
      _ = state.wait(seconds: 5) { $0.waitStatus != nil && $0.openStreams == 0 }
    }
    return state.withLock { state in
      let status = state.waitStatus ?? SIGKILL
      let signal = status & 0x7f
      return ProcessResult(
        status: signal == 0 ? (status >> 8) & 0xff : nil, signal: signal == 0 ? nil : signal,
        stdout: String(decoding: state.stdout, as: UTF8.self),
        stderr: String(decoding: state.stderr, as: UTF8.self), timedOut: !isOver)
    }
  }

  private func collect(_ descriptor: Int32, into path: any (WritableKeyPath<State, [UInt8]> & Sendable)) {
    Thread.detachNewThread { [state] in
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        let piece = buffer[..<count]
        state.withLock { $0[keyPath: path] += piece }
      }
      close(descriptor)
      state.withLock { $0.openStreams -= 1 }
    }
  }

  private static func makePipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw ProcessFailure(call: "pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ executable: String, _ arguments: [String], _ environment: [String: String], _ folder: String?,
    stdout: Int32, stderr: Int32
  ) throws -> Int32 {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, stdout, 1)
    posix_spawn_file_actions_adddup2(&actions, stderr, 2)
    var flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
    #if canImport(Darwin)
      flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #else
      // The program inherits no descriptor of the tests.
      for descriptor in Int32(3)..<1024 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    #endif
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    // Not every C library that Swift supports can set the folder of a new process; the shell can.
    let shell = ["/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh"]
    let command = folder.map { shell + [$0, executable] + arguments } ?? [executable] + arguments
    let argv = CStrings(command)
    let envp = CStrings(environment.map { "\($0.key)=\($0.value)" }.sorted())
    var identifier: pid_t = 0
    let code = posix_spawn(&identifier, command[0], &actions, &attributes, argv.pointers, envp.pointers)
    guard code == 0 else { throw ProcessFailure(call: "posix_spawn \(executable)", code: code) }
    return identifier
  }
}

/// A null-ended list of C strings, freed with its owner.
private final class CStrings {
  let pointers: [UnsafeMutablePointer<CChar>?]

  init(_ strings: [String]) { pointers = strings.map { strdup($0) } + [nil] }

  deinit { for pointer in pointers { free(pointer) } }
}
