package import SyncModel

/// Exchanges with web servers, many at once: what a run needs of a ``TransferLoop``.
///
/// One thread makes all calls; only ``waker`` is for others. Clients are called only from inside ``poll(timeout:)``.
/// Tests have a network that answers from a script, which one suite holds to the same rules.
package protocol ExchangeNetwork: AnyObject {
  /// Takes an exchange on; it begins in the next poll, or when its host has room.
  func start(_ request: ExchangeRequest, client: any ExchangeClient) -> ExchangeID

  /// Continues an exchange whose client returned ``BodyReception/full``; does nothing for any other.
  func resume(_ id: ExchangeID)

  /// Ends an exchange without further calls to its client, and returns its cost; nothing for an ended one.
  @discardableResult
  func cancel(_ id: ExchangeID) -> ExchangeTotals

  /// Lets other threads end a poll's waiting.
  var waker: any ExchangeWaker { get }

  /// The hosts that were found to speak HTTP/2 since the last call.
  func takeStreamHosts() -> [String]

  /// Does everything that is possible; if no client got an event, waits for more, up to the limit.
  ///
  /// Returns early after a wakeup.
  func poll(timeout: Duration)
}

/// Ends the waiting of an ``ExchangeNetwork`` from any thread.
package protocol ExchangeWaker: Sendable {
  /// Makes the poll that waits now return, or else the next one not wait.
  ///
  /// Returns whether it did.
  @discardableResult
  func wake() -> Bool
}
