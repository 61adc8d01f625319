#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An HTTP/1.1 server on 127.0.0.1 that follows its script, byte for byte, and records the requests.
///
/// Its script is a ``ServerScript``. It stops with the last reference, or at ``stop()``.
package final class LoopbackServer: Sendable {
  package let port: UInt16
  private let core: ServerCore

  /// Starts to listen; throws if the system has no socket.
  package init(_ script: [String: [Reply]] = [:]) throws {
    let (listener, port) = try Socket.listening()
    self.port = port
    core = try ServerCore(listener: listener, script: script)
    core.start()
  }

  deinit { core.stop() }

  /// `http://127.0.0.1:PORT` and the path.
  package func url(_ path: String = "") -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Replaces the replies for this path; they are sent in order, and the last one is repeated.
  package func on(_ path: String, _ replies: Reply...) { core.setReplies(replies, for: path) }

  /// Replaces the whole script.
  package func setScript(_ script: [String: [Reply]]) { core.setScript(script) }

  /// The treatment of the next connections, in order; the last one is repeated. `.keepAlive` serves a connection;
  /// any other value ends it in this way without an answer.
  package func greet(_ greetings: Delivery.Ending...) { core.setGreetings(greetings) }

  /// As ``greet(_:)``.
  package func greet(with greetings: [Delivery.Ending]) { core.setGreetings(greetings) }

  /// Releases every reply, now and later, that is held under this name.
  package func release(_ gate: String) { core.release(gate) }

  /// The requests so far.
  package var log: ServerLog { core.log }

  /// The requests so far, oldest first.
  package var requests: [LoggedRequest] { log.requests }

  /// The requests so far for this path.
  package func requests(to path: String) -> [LoggedRequest] { log.requests(to: path) }

  /// Forgets the requests so far; connections and their numbers continue.
  package func clearLog() { core.clearLog() }

  /// Waits at most this long until the log is as expected; returns whether it is.
  @discardableResult
  package func wait(seconds: Double = 10, until isTrue: (ServerLog) -> Bool) -> Bool {
    core.wait(seconds: seconds, until: isTrue)
  }

  /// Ends every connection and stops listening; waits at most five seconds for its threads.
  package func stop() { core.stop() }

  /// A port on 127.0.0.1 without a listener, as long as the tests run.
  package static func deadPort() throws -> UInt16 { try dead.get().port }

  // The socket is bound and never closed: a released port may soon belong to another server.
  private static let dead = Result { try Socket.listening(false) }

  /// A port on 127.0.0.1 without a listener yet.
  package static func freePort() throws -> UInt16 {
    let (listener, port) = try Socket.listening()
    listener.close()
    return port
  }
}
