import ContentPipeline
import LocalFiles
import Planning
import SyncModel
import Transfer

/// One body on its way into a cache on a server, and then its records; on the uploads' own thread.
final class Upload {
  enum Outcome {
    /// It was put there.
    case stored
    /// It was there.
    case present
    /// Its bytes are not there any more.
    case lost
    /// The file had other bytes, and was removed.
    case damaged
    case failed(RemoteCacheFault)
  }

  private enum Stage {
    case looking
    /// Looking has failed, and the server may say why.
    case asking
    case file
    case value(Int)

    /// Whether replies to its requests have bodies.
    var hasReply: Bool { if case .looking = self { false } else { true } }
  }

  private struct Reply {
    var status: Int
    /// What it says of the file, if it was asked for.
    var file: CacheReply
    /// Why the server refuses something, if it says that.
    var refusal: StoreRefusal?
  }

  /// A larger body is sent only if the server does not have it.
  private static let worthAsking: Int64 = 1 << 20
  /// A store that speaks S3 takes no more in one request.
  private static let mostInStore: Int64 = 5 << 30

  let order: UploadOrder
  /// Whether the server says why it refuses something.
  private let isToldWhy: Bool
  private let start: (inout ExchangeRequest, Upload) -> Result<ExchangeID, RemoteCacheFault>?
  private let done: (Upload, Outcome) -> Void
  private let isInVain: () -> Bool
  private var stage: Stage
  /// To the present request; `nil` before it comes.
  private var reply: Reply?
  private var id: ExchangeID?
  /// A connection that was left open may have been closed meanwhile.
  private var hasRetried = false
  private var isPresent = false

  /// `start` sends a request, whose URL is its path so far, or returns `nil` if the upload is to stay as it is; `done` is
  /// called at most once. `isInVain` says whether nobody waits for it any more: then it stays as it is, too.
  init(
    _ order: UploadOrder, isToldWhy: Bool, isInVain: @escaping () -> Bool,
    start: @escaping (inout ExchangeRequest, Upload) -> Result<ExchangeID, RemoteCacheFault>?,
    done: @escaping (Upload, Outcome) -> Void
  ) {
    self.order = order
    self.isToldWhy = isToldWhy
    self.isInVain = isInVain
    self.start = start
    self.done = done
    stage = !order.replaces && (order.isRenewal || order.size >= Self.worthAsking) ? .looking : .file
  }

  func begin() {
    if isToldWhy, order.size > Self.mostInStore { return done(self, .lost) }
    send()
  }

  /// The sha256 of what the present request sends; `nil` if that is nothing.
  var sentDigest: HexDigest? {
    switch stage {
    case .looking, .asking: nil
    case .file: order.sha256
    case .value(let place): Digester.digest(order.values[place].bytes, .sha256)
    }
  }

  /// Nobody waits for it any more.
  func cancel(_ network: (any ExchangeNetwork)?) {
    if let id { network?.cancel(id) }
    id = nil
  }

  private func send(onNewConnection: Bool = false) {
    var request: ExchangeRequest
    switch stage {
    case .looking: request = ExchangeRequest(method: .head, url: "cas/" + order.sha256.text)
    case .asking: request = ExchangeRequest(url: "cas/" + order.sha256.text)
    case .file:
      guard let file = checkedFile() else { return }
      request = ExchangeRequest(method: .put, url: "cas/" + order.sha256.text)
      request.body = StoredBody(file)
    case .value(let place):
      request = ExchangeRequest(method: .put, url: "ac/" + order.values[place].name.text)
      request.body = ValueBody(order.values[place].bytes)
    }
    request.wantsNewConnection = onNewConnection
    reply = nil
    switch start(&request, self) {
    case .success(let id)?: self.id = id
    case .failure(let fault)?: done(self, .failed(fault))
    case nil: break
    }
  }

  /// The file. If it was there before this run, its bytes are digested: whoever has another name of it may have changed them
  /// since they were put there. `nil` if the upload is over, or in vain.
  private func checkedFile() -> ReadableFile? {
    // A file that was removed would be an empty request.
    guard let file = order.folder.open(order.sha256), file.signature.size == order.size else {
      done(self, .lost)
      return nil
    }
    if !order.isRenewal { return file }
    let content = try? ContentDigest.of(file, [.sha256], isInVain: isInVain)
    if content?.sha256 == order.sha256 { return file }
    if isInVain() { return nil }
    if content != nil { order.folder.remove(order.sha256) }
    done(self, content == nil ? .lost : .damaged)
    return nil
  }

  private func looked() {
    switch reply?.file {
    case .there(order.size)?: goOn(asPresent: true)
    // Without its length, or with another one, it may be anything: it is replaced.
    case .there?, .missing?, .faulty(.form)?, nil: goOn()
    case .faulty? where isToldWhy && !stage.hasReply:
      stage = .asking
      send()
    case .faulty(let fault)?: done(self, .failed(fault))
    }
  }

  private func goOn(asPresent: Bool = false) {
    if asPresent { (isPresent, stage) = (true, .file) }
    switch stage {
    case .looking, .asking: stage = .file
    case .file: stage = .value(0)
    case .value(let place): stage = .value(place + 1)
    }
    if case .value(order.values.count) = stage { return done(self, isPresent ? .present : .stored) }
    hasRetried = false
    send()
  }
}

extension Upload: ExchangeClient {
  func exchange(_ id: ExchangeID, note: ExchangeNote) {}
  func exchange(_ id: ExchangeID, traced trace: RequestTrace) {}

  func exchange(_ id: ExchangeID, received head: ResponseHead) -> BodyDisposition {
    let refusal = isToldWhy && stage.hasReply ? StoreRefusal(head) : nil
    reply = Reply(status: head.status, file: CacheReply(head, isFile: true), refusal: refusal)
    return refusal == nil ? .drop : .take
  }

  func exchange(_ id: ExchangeID, received bytes: UnsafeRawBufferPointer) -> BodyReception {
    unsafe reply?.refusal?.take(bytes) == true ? .taken : .stop
  }

  func exchange(_ id: ExchangeID, ended end: ExchangeEnd, totals: ExchangeTotals) {
    guard id == self.id else { return }
    switch (stage, reply?.status) {
    case (.looking, .some): looked()
    case (.asking, 200): looked()
    // The store's word may be that the bucket is missing.
    case (.asking, 404) where reply?.refusal?.fault == nil: goOn()
    case (.file, 200), (.file, 201), (.file, 202), (.file, 204): goOn()
    case (.value, 200), (.value, 201), (.value, 202), (.value, 204): goOn()
    case (.asking, let status?): done(self, .failed(reply?.refusal?.fault ?? .status(status)))
    case (_, let status?):
      var fault = RemoteCacheFault.notStored(status: status)
      if let told = reply?.refusal?.fault, told != .status(status) { fault = told }
      done(self, .failed(fault))
    case (_, nil):
      guard case .failed(let cause) = end else { return done(self, .failed(.form)) }
      guard !hasRetried, !cause.traits.contains(.silent) else { return done(self, .failed(.failed(cause))) }
      hasRetried = true
      send(onNewConnection: true)
    }
  }
}
