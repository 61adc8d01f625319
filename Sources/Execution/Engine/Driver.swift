import ContentPipeline
import Platform
import SyncModel
import Transfer

/// The one thread that decides: it owns the network, the timers and every run of a target.
///
/// Everything else (hashing, inflating, writing, committing) happens on other threads, which reach it
/// through its ``Mailbox``.
final class Driver {
  /// For bodies on their way; never blocked by anything longer than a block.
  let pool: WorkerPool
  /// For reading whole files, which may take a while.
  private let readers: FileReaders
  /// The tokens of a surrounding make; `nil` without one.
  let tokens: JobTokens?
  let mailbox: Mailbox
  private let opener: NetworkOpener
  private var tickets = TicketBook()
  private var timers: Timers
  private var pumps: [FilePump] = []
  private(set) var isStopped = false
  /// The requests that wait for the answer of a helper.
  var waiting: [CredentialQuestion: [(Result<[RequestHeader], FailureCause>) -> Void]] = [:]

  /// - early: the requests that were sent before the run; they must not be sent again.
  /// - network: one that is open already; `nil` for libcurl's, once a server is asked.
  /// - readers: the threads that read whole files; `nil` for the usual ones.
  init(
    settings: RunSettings, manifest: Manifest, early: EarlyAnswers? = nil,
    clock: any RunClock = MachineClock(), network: (any ExchangeNetwork)? = nil,
    readers: (any JobRunner)? = nil
  ) throws(FailureCause) {
    // The root, connections, libraries, the state and a file to write: with fewer some part would fail, and look broken.
    try OpenFiles.require(13)
    timers = Timers(clock)
    tokens = settings.resources.makeFlags.flatMap(JobTokens.init)
    // Two more than work at once: those that write mostly wait for the disk.
    pool = WorkerPool(threads: settings.resources.workers + 2, tokens: tokens)
    self.readers = FileReaders(
      readers ?? WorkerPool(threads: settings.resources.workers, tokens: tokens), tokens: tokens)
    mailbox = try Mailbox()
    opener = NetworkOpener(settings, manifest, early)
    if let network { opener.use(network, mailbox) }
  }

  /// Ends the worker threads.
  func shutDown() {
    pool.shutDown()
    readers.shutDown()
  }

  // MARK: What the runs of targets use

  var settings: RunSettings { opener.settings }

  /// The network, once ``openNetwork()`` was called.
  var network: (any ExchangeNetwork)? { opener.network }

  /// The network; libcurl is loaded on the first call.
  func openNetwork() throws(FailureCause) -> any ExchangeNetwork { try opener.open(mailbox) }

  /// A ticket for letters that `handler` is to receive, on this thread, until ``forget(_:)``.
  func expect(_ handler: @escaping (Letter) -> Void) -> Ticket { tickets.issue(isForOne: false, handler) }

  /// The same for one letter, after which it is forgotten.
  func expectOne(_ handler: @escaping (Letter) -> Void) -> Ticket { tickets.issue(isForOne: true, handler) }

  func forget(_ ticket: Ticket) { tickets.forget(ticket) }

  /// Has another thread do `job`, which asks now and then whether it is in vain; `done` gets its one letter.
  func work(
    _ job: @escaping @Sendable (_ isInVain: @Sendable () -> Bool) -> Letter, done: @escaping (Letter) -> Void
  ) {
    let mailbox = mailbox
    let ticket = expectOne(done)
    readers.submit(job) { mailbox.post(ticket, $0) }
  }

  /// What timers go by, and everything else in the run.
  var clock: any RunClock { timers.clock }

  /// Calls `action` when `delay`, scaled, is over.
  func after(_ delay: Duration, _ action: @escaping () -> Void) {
    timers.add(after: delay * settings.resources.timeScale, action)
  }

  func add(_ pump: FilePump) { pumps.append(pump) }

  // MARK: The loop

  /// Takes turns until `isDone`; `onStop` is called once if the run is to stop before that.
  func run(until isDone: () -> Bool, onStop: () -> Void) {
    while !isDone() {
      deliverLetters(onStop: onStop)
      for action in timers.takeDue() { action() }
      for pump in pumps { pump.step() }
      pumps.removeAll { $0.isDone }
      if isDone() { break }
      sleep(pumps.contains { $0.isReady } ? .zero : timers.timeToNext ?? .seconds(60))
    }
  }

  private func deliverLetters(onStop: () -> Void) {
    let (letters, isAsked) = mailbox.take()
    for (ticket, letter) in letters { tickets.takeHandler(of: ticket)?(letter) }
    if isAsked, !isStopped {
      isStopped = true
      readers.giveUp()
      settings.routes.stop()
      timers.removeAll()
      onStop()
    }
  }

  private func sleep(_ time: Duration) {
    if let network {
      network.poll(timeout: time)
    } else {
      mailbox.wait(milliseconds: Int32(clamping: time.milliseconds + (time > .zero ? 1 : 0)))
    }
  }
}

extension Duration {
  /// Whole milliseconds, rounded towards zero.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
