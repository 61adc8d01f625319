import SyncModel
import SyncTestSupport
import Testing

@testable import Transfer

/// A client that records all its events, and answers as configured.
final class Recorder: ExchangeClient {
  var disposition = BodyDisposition.take
  /// Asked for each piece; gets how many bytes were taken before.
  var answer: (Int) -> BodyReception = { _ in .taken }
  /// Called first in every call.
  var onCall: (ExchangeID) -> Void = { _ in }

  private(set) var notes: [ExchangeNote] = []
  private(set) var heads: [ResponseHead] = []
  private(set) var body: [UInt8] = []
  private(set) var ends: [ExchangeEnd] = []
  private(set) var totals = ExchangeTotals()
  private(set) var traces: [RequestTrace] = []
  /// Calls after the end, of which there must be none.
  private(set) var lateCalls = 0
  private(set) var pauses = 0

  var head: ResponseHead? { heads.first }
  var end: ExchangeEnd? { ends.first }
  var failure: FailureCause? { if case .failed(let cause) = end { cause } else { nil } }
  var text: String { String(decoding: body, as: UTF8.self) }

  func exchange(_ id: ExchangeID, note: ExchangeNote) {
    called(id)
    notes.append(note)
  }

  func exchange(_ id: ExchangeID, received head: ResponseHead) -> BodyDisposition {
    called(id)
    heads.append(head)
    return disposition
  }

  func exchange(_ id: ExchangeID, received bytes: UnsafeRawBufferPointer) -> BodyReception {
    called(id)
    let reception = answer(body.count)
    if reception == .taken { body += bytes }
    if reception == .full { pauses += 1 }
    return reception
  }

  func exchange(_ id: ExchangeID, ended end: ExchangeEnd, totals: ExchangeTotals) {
    called(id)
    ends.append(end)
    self.totals = totals
  }

  func exchange(_ id: ExchangeID, traced trace: RequestTrace) { traces.append(trace) }

  private func called(_ id: ExchangeID) {
    if !ends.isEmpty { lateCalls += 1 }
    onCall(id)
  }
}

extension TransferLoop {
  /// A loop with the usual settings, modified by `change`.
  static func forTests(_ change: (inout TransferSettings) -> Void = { _ in }) throws -> TransferLoop {
    var settings = TransferSettings(userAgent: "syncmake/test")
    change(&settings)
    return try TransferLoop(settings)
  }

  /// Polls until `isDone`, for at most ten seconds; returns whether it is.
  @discardableResult
  func run(seconds: Double = 10, until isDone: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while !isDone() {
      guard ContinuousClock.now < end else { return false }
      poll(timeout: .milliseconds(200))
    }
    return true
  }

  /// One exchange from its start to its end.
  func exchange(_ request: ExchangeRequest, _ client: Recorder = Recorder()) -> Recorder {
    _ = start(request, client: client)
    #expect(run { !client.ends.isEmpty }, "the exchange does not end")
    #expect(client.ends.count == 1)
    #expect(client.lateCalls == 0)
    return client
  }
}

/// The outcome of one request with its own loop.
func fetch(
  _ request: ExchangeRequest, _ client: Recorder = Recorder(),
  _ change: (inout TransferSettings) -> Void = { _ in }
) throws -> Recorder {
  try TransferLoop.forTests(change).exchange(request, client)
}
