package import SyncModel

/// Names an exchange of one ``TransferLoop``; never used twice.
package struct ExchangeID: Hashable, Sendable {
  let number: Int
}

/// Receives what an exchange brings; called only from inside ``TransferLoop/poll(timeout:)``.
///
/// Any of these may start, resume and cancel exchanges of the same loop, this one included.
package protocol ExchangeClient: AnyObject {
  /// A request, a reply or a redirect, in the order in which they happen; secrets still in it.
  func exchange(_ id: ExchangeID, note: ExchangeNote)

  /// The reply that is no redirect; once at most.
  ///
  /// With ``BodyDisposition/drop`` nothing of the body is handed over and the exchange ends as
  /// ``ExchangeEnd/stopped``, also where there is no body.
  func exchange(_ id: ExchangeID, received head: ResponseHead) -> BodyDisposition

  /// The next piece of the body, at most 16 KiB or so, valid only during the call.
  ///
  /// After ``BodyReception/full`` nothing comes until ``TransferLoop/resume(_:)``; then this piece, perhaps
  /// with more behind it, is offered again.
  func exchange(_ id: ExchangeID, received bytes: UnsafeRawBufferPointer) -> BodyReception

  /// A request and its reply are over; only where ``TransferSettings/tracesRequests``.
  ///
  /// It comes for every request, also for one that was cancelled, and then after the exchange's last word.
  func exchange(_ id: ExchangeID, traced trace: RequestTrace)

  /// The end: exactly once and last, unless the exchange was cancelled.
  func exchange(_ id: ExchangeID, ended end: ExchangeEnd, totals: ExchangeTotals)
}
