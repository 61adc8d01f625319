import ContentPipeline
import LocalFiles
import SyncModel
import Transfer

/// The one thread that decides: it owns the network, the timers and every run of a target.
///
/// Everything else (hashing, inflating, writing, committing) happens on other threads, which reach it
/// through its ``Mailbox``.
final class Driver {
  let settings: RunSettings
  /// For bodies on their way; never blocked by anything longer than a block.
  let pool: WorkerPool
  /// For reading whole files, which may take a while.
  private let readers: WorkerPool
  /// The tokens of a surrounding make; `nil` without one.
  let tokens: JobTokens?
  /// Whether what the readers do is still wanted.
  private let isReadingInVain = Monitor(false)
  let mailbox: Mailbox
  private let hosts: HostLimits
  private let secrets: SecretMask
  /// Requests made before the run, which must not be repeated.
  private let early: EarlyAnswers?
  /// The network, once ``web()`` was called.
  private(set) var loop: TransferLoop?
  private var handlers: [Ticket: (Letter) -> Void] = [:]
  private var nextTicket = 0
  private var timers: [DriverTimer] = []
  private var pumps: [FilePump] = []
  private(set) var isStopped = false

  init(settings: RunSettings, manifest: Manifest, early: EarlyAnswers? = nil) throws(FailureCause) {
    // Connections, libraries, the state and a file to write: with fewer some part would fail, and look broken.
    try OpenFiles.require(12)
    self.settings = settings
    self.early = early
    hosts = manifest.hosts
    secrets = manifest.secrets
    tokens = settings.makeFlags.flatMap(JobTokens.init)
    // Two more than work at once: those that write mostly wait for the disk.
    pool = WorkerPool(threads: settings.workers + 2, tokens: tokens)
    readers = WorkerPool(threads: settings.workers, tokens: tokens)
    mailbox = try Mailbox()
  }

  /// Ends the worker threads.
  func shutDown() {
    pool.shutDown()
    readers.shutDown()
  }

  // MARK: What the runs of targets use

  /// The network; libcurl is loaded on the first call.
  func web() throws(FailureCause) -> TransferLoop {
    if let loop { return loop }
    var transfer = TransferSettings(
      settings.network, hosts: hosts, secrets: secrets, timeScale: settings.timeScale)
    transfer.tracesRequests = settings.reportsTimes
    let made = try TransferLoop(transfer, after: early?.replies)
    loop = made
    mailbox.setWaker(made.waker)
    return made
  }

  /// A ticket for letters that `handler` is to receive, on this thread, until ``forget(_:)``.
  func expect(_ handler: @escaping (Letter) -> Void) -> Ticket {
    let ticket = Ticket(number: nextTicket)
    nextTicket += 1
    handlers[ticket] = handler
    return ticket
  }

  func forget(_ ticket: Ticket) { handlers[ticket] = nil }

  /// Has another thread do `job`, which asks now and then whether it is in vain; `done` gets its one letter.
  func work(
    _ job: @escaping @Sendable (_ isInVain: @Sendable () -> Bool) -> Letter, done: @escaping (Letter) -> Void
  ) {
    let mailbox = mailbox
    var ticket = Ticket(number: -1)
    ticket = expect { [unowned self] letter in
      forget(ticket)
      done(letter)
    }
    readers.submit { [ticket, isReadingInVain, tokens] in
      let letter = job {
        // Bodies on their way must not wait for the end of a large file.
        tokens?.pause()
        return isReadingInVain.withLock { $0 }
      }
      mailbox.post(ticket, letter)
    }
  }

  /// Calls `action` when `delay`, scaled, is over.
  func after(_ delay: Duration, _ action: @escaping () -> Void) {
    timers.append(DriverTimer(due: SystemClock.monotonic() + delay * settings.timeScale, action: action))
  }

  func add(_ pump: FilePump) { pumps.append(pump) }

  // MARK: The loop

  /// Takes turns until `isDone`; `onStop` is called once if the run is to stop before that.
  func run(until isDone: () -> Bool, onStop: () -> Void) {
    while !isDone() {
      deliverLetters(onStop: onStop)
      fireTimers()
      for pump in pumps { pump.step() }
      pumps.removeAll { $0.isDone }
      if isDone() { break }
      sleep(pumps.contains { $0.isReady } ? .zero : timeToNextTimer())
    }
  }

  private func deliverLetters(onStop: () -> Void) {
    let (letters, isAsked) = mailbox.take()
    for (ticket, letter) in letters { handlers[ticket]?(letter) }
    if isAsked, !isStopped {
      isStopped = true
      isReadingInVain.withLock { $0 = true }
      timers.removeAll()
      onStop()
    }
  }

  private func fireTimers() {
    guard !timers.isEmpty else { return }
    let now = SystemClock.monotonic()
    let due = timers.filter { $0.due <= now }
    timers.removeAll { $0.due <= now }
    for timer in due { timer.action() }
  }

  private func timeToNextTimer() -> Duration {
    guard let next = timers.map(\.due).min() else { return .seconds(60) }
    return max(.zero, next - SystemClock.monotonic())
  }

  private func sleep(_ time: Duration) {
    if let loop {
      loop.poll(timeout: time)
    } else {
      mailbox.wait(milliseconds: Int32(clamping: time.milliseconds + (time > .zero ? 1 : 0)))
    }
  }
}

private struct DriverTimer {
  var due: Duration
  var action: () -> Void
}

extension Duration {
  /// Whole milliseconds, rounded towards zero.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
