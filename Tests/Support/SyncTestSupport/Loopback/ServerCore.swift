import Foundation

/// The part of the server that its threads share; it outlives ``LoopbackServer`` by a moment at most.
final class ServerCore: Sendable {
  struct State {
    var script: ServerScript
    /// The fate of each new connection before its first reply; the last one is repeated.
    var greetings: [Delivery.Ending] = []
    var log = ServerLog()
    var openGates: Set<String> = []
    var isStopping = false
    /// By connection number; a connection removes itself before it closes its socket.
    var sockets: [Int: Socket] = [:]
    var threads = 0
    /// Numbers continue when the log is cleared.
    var nextRequest = 0
    var firstRequest = 0
  }

  private let listener: Socket
  /// Closing the writing end wakes the accepting thread.
  private let wakePipe: (reading: Int32, writing: Int32)
  private let state: Monitor<State>

  init(listener: Socket, script: [String: [Reply]]) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      listener.close()
      throw Socket.Failure(call: "pipe", code: errno)
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    wakePipe = (ends[0], ends[1])
    self.listener = listener
    state = Monitor(State(script: ServerScript(script)))
  }

  func start() {
    state.withLock { $0.threads += 1 }
    Thread.detachNewThread { [self] in
      acceptConnections()
      listener.close()
      close(wakePipe.reading)
      state.withLock { $0.threads -= 1 }
    }
  }

  func stop() {
    let isFirst = state.withLock { state in
      defer { state.isStopping = true }
      for socket in state.sockets.values { socket.shutdownBoth() }
      return !state.isStopping
    }
    guard isFirst else { return }
    close(wakePipe.writing)
    _ = state.wait(seconds: 5) { $0.threads == 0 }
  }

  private func acceptConnections() {
    while let socket = listener.accept(wake: wakePipe.reading) {
      let number = state.withLock { state in register(socket, in: &state) }
      guard let number else { return socket.close() }
      Thread.detachNewThread { [self] in
        ServerConnection(number: number, socket: socket, core: self).run()
        state.withLock { $0.threads -= 1 }
      }
    }
  }

  private func register(_ socket: Socket, in state: inout State) -> Int? {
    guard !state.isStopping else { return nil }
    let number = state.log.connections
    state.log.connections += 1
    state.log.openConnections += 1
    state.log.peakConnections = max(state.log.peakConnections, state.log.openConnections)
    state.sockets[number] = socket
    state.threads += 1
    return number
  }

  // MARK: Calls by connections

  /// The connection is about to close its socket.
  func connectionEnds(_ number: Int) {
    state.withLock {
      if $0.sockets.removeValue(forKey: number) != nil { $0.log.openConnections -= 1 }
    }
  }

  /// Notes the request and picks its reply.
  func receive(_ request: LoggedRequest) -> (request: LoggedRequest, reply: Reply) {
    state.withLock { state in
      var request = request
      request.number = state.nextRequest
      state.nextRequest += 1
      state.log.requests.append(request)
      state.log.activeRequests += 1
      state.log.peakActiveRequests = max(state.log.peakActiveRequests, state.log.activeRequests)
      return (request, state.script.next(for: request))
    }
  }

  /// The fate of an accepted connection; ``Delivery/Ending/keepAlive`` if it may stay.
  func greeting(_ connection: Int) -> Delivery.Ending {
    state.withLock { state in
      let greeting = state.greetings.first ?? .keepAlive
      if state.greetings.count > 1 { state.greetings.removeFirst() }
      return greeting
    }
  }

  func sent(_ bytes: Int, of request: LoggedRequest) {
    change(request) { $0.bytesSent += bytes }
  }

  /// Called when the last byte is sent, before the connection ends.
  func answered(_ request: LoggedRequest) {
    change(request) { $0.isAnswered = true }
    state.withLock { $0.log.activeRequests -= 1 }
  }

  private func change(_ request: LoggedRequest, _ body: (inout LoggedRequest) -> Void) {
    state.withLock { state in
      let index = request.number - state.firstRequest
      if state.log.requests.indices.contains(index) { body(&state.log.requests[index]) }
    }
  }

  /// Waits for the gate; `false` once the server is to stop.
  func pass(_ gate: String) -> Bool {
    _ = state.wait(seconds: 60) { $0.isStopping || $0.openGates.contains(gate) }
    return state.withLock { !$0.isStopping && $0.openGates.contains(gate) }
  }

  /// Waits, but not longer than the server runs; returns whether to continue.
  func pause(_ duration: Duration) -> Bool {
    if duration > .zero {
      let (seconds, fraction) = duration.components
      _ = state.wait(seconds: min(Double(seconds) + Double(fraction) / 1e18, 60)) { $0.isStopping }
    }
    return state.withLock { !$0.isStopping }
  }

  // MARK: Calls by the owner

  var log: ServerLog { state.withLock { $0.log } }

  func setReplies(_ replies: [Reply], for path: String) {
    state.withLock { $0.script.set(replies, for: path) }
  }

  func setScript(_ script: [String: [Reply]]) { state.withLock { $0.script = ServerScript(script) } }

  func setGreetings(_ greetings: [Delivery.Ending]) { state.withLock { $0.greetings = greetings } }

  func release(_ gate: String) { state.withLock { _ = $0.openGates.insert(gate) } }

  func clearLog() {
    state.withLock {
      $0.log.requests = []
      $0.firstRequest = $0.nextRequest
      $0.log.peakConnections = $0.log.openConnections
      $0.log.peakActiveRequests = $0.log.activeRequests
    }
  }

  func wait(seconds: Double, until isTrue: (ServerLog) -> Bool) -> Bool {
    state.wait(seconds: seconds) { isTrue($0.log) }
  }
}
