import ContentPipeline
import Platform
import SyncModel
import Transfer

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The addressee of a letter; unique in a run.
struct Ticket: Hashable, Sendable {
  let number: Int
}

/// A message of another thread to the driver.
enum Letter: Sendable {
  case pipeline(PipelineEvent)
  /// A pipeline has written all it had.
  case flushed
  case digested(Result<OutputReading, FailureCause>)
  case read(Result<[UInt8], FailureCause>)
  case credentials(Result<[RequestHeader], FailureCause>)
  case storeAccess(Result<StoreAccess, StoreKeyFault>)
  case published(Result<FileSignature, PublishFailure>)
  /// The outputs of a unit are in place, or why they are not.
  case unitPublished(WithheldPublication.Fault?)
}

/// Why a finished body was not published.
struct PublishFailure: Error, Sendable {
  var cause: FailureCause
  /// In bytes: from here the next run resumes; 0 if nothing is kept.
  var keptPartial: Int64
  /// Whether it had begun to change the output.
  var isBegun = false
}

/// The one way from other threads into the driver's.
///
/// The driver sleeps in `poll` on a pipe, or in the network once it is open; posting wakes it.
final class Mailbox: Sendable {
  private struct State: Sendable {
    var letters: [(Ticket, Letter)] = []
    var spent: [any Sendable] = []
    var isStopped = false
    var waker: (any ExchangeWaker)?
    /// The driver was woken since its last look; another wakeup would change nothing.
    var isSignalled = false
  }

  private let state = Monitor(State())
  private let readEnd: Int32
  private let writeEnd: Int32

  init() throws(FailureCause) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      if errno == EMFILE { throw .tooFewDescriptors }
      throw unsafe .outputUnwritable(path: ".", .system(errno: errno, text: String(cString: strerror(errno))))
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// From now on posting wakes the network instead of ``wait(milliseconds:)``.
  ///
  /// A letter just before has written to the pipe, which is no longer watched: hence the first wakeup.
  func setWaker(_ waker: any ExchangeWaker) {
    state.withLock { $0.waker = waker }
    waker.wake()
  }

  /// Any thread.
  func post(_ ticket: Ticket, _ letter: Letter) { signal { $0.letters.append((ticket, letter)) } }

  /// Any thread: the same for several, which wake the driver once.
  func post(_ letters: [(Ticket, Letter)]) { signal { $0.letters += letters } }

  /// Any thread: lets the driver free objects at its next look; does not wake it.
  ///
  /// For objects that the driver has allocated in large numbers: an allocator returns memory to the allocating
  /// thread's arena, under a lock, so that two threads would wait for each other.
  func free(_ spent: any Sendable) { state.withLock { $0.spent.append(spent) } }

  /// Any thread: the run is to stop.
  func postStop() { signal { $0.isStopped = true } }

  /// The driver: everything posted since the last call.
  func take() -> (letters: [(Ticket, Letter)], isStopped: Bool) {
    var spent: [any Sendable] = []
    // Freed when this returns, after the lock is.
    defer { withExtendedLifetime(spent) {} }
    return state.withLock { state in
      swap(&spent, &state.spent)
      if state.isSignalled, state.waker == nil {
        var byte: UInt8 = 0
        while unsafe read(readEnd, &byte, 1) > 0 {}
      }
      state.isSignalled = false
      defer { state.letters.removeAll(keepingCapacity: true) }
      return (state.letters, state.isStopped)
    }
  }

  /// The driver, without a network: sleeps until a letter is posted.
  func wait(milliseconds: Int32) {
    var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&entry, 1, milliseconds)
  }

  /// Whether the pipe now contains a byte. An interrupted call has written none, and then no thread would wake up.
  private func ring() -> Bool {
    var byte: UInt8 = 1
    while true {
      if unsafe write(writeEnd, &byte, 1) == 1 { return true }
      guard errno == EINTR else { return false }
    }
  }

  private func signal(_ change: (inout State) -> Void) {
    let waker = state.withLock { state -> (any ExchangeWaker)? in
      change(&state)
      guard !state.isSignalled else { return nil }
      state.isSignalled = state.waker != nil || ring()
      return state.waker
    }
    if let waker, !waker.wake() { state.withLock { $0.isSignalled = false } }
  }
}
