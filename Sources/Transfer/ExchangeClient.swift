package import SyncModel

/// Names an exchange of one ``ExchangeNetwork``; never used twice.
package struct ExchangeID: Hashable, Sendable {
  let number: Int

  /// Only the network that starts an exchange makes its name.
  package init(number: Int) { self.number = number }
}

/// Receives the events of an exchange; called only from inside ``ExchangeNetwork/poll(timeout:)``.
///
/// Any of these methods may start, resume and cancel exchanges of the same network, including this one.
package protocol ExchangeClient: AnyObject {
  /// A request, a reply or a redirect, in the order in which they happen; secrets still in it.
  func exchange(_ id: ExchangeID, note: ExchangeNote)

  /// A reply that is not a redirect; at most once.
  ///
  /// With ``BodyDisposition/drop`` the body is not passed on, and the exchange ends as ``ExchangeEnd/stopped``,
  /// even without a body.
  func exchange(_ id: ExchangeID, received head: ResponseHead) -> BodyDisposition

  /// The next piece of the body, about 16 KiB at most, valid only during the call.
  ///
  /// After ``BodyReception/full`` nothing follows until ``ExchangeNetwork/resume(_:)``; then this piece, perhaps with
  /// more data, is offered again.
  func exchange(_ id: ExchangeID, received bytes: UnsafeRawBufferPointer) -> BodyReception

  /// A request ended, with or without a complete reply; only with ``TransferSettings/tracesRequests``.
  ///
  /// It is called for every request, also for a cancelled one, then after the exchange's last event.
  func exchange(_ id: ExchangeID, traced trace: RequestTrace)

  /// The end: exactly once and last, unless the exchange was cancelled.
  func exchange(_ id: ExchangeID, ended end: ExchangeEnd, totals: ExchangeTotals)
}
