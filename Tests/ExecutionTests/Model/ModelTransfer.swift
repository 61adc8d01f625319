/// The result of asking the server: section 5 of the contract, as far as the sequences need it.
struct ModelTransfer {
  enum Ending: Equatable {
    /// The server confirmed the version, or sent the one that the condition named.
    case confirmed
    /// It sent the digest of the recorded download.
    case sameDigest(ModelValidators)
    case downloaded(content: Int, ModelValidators)
    case failed(String)
  }

  var ending: Ending
  var requests: ClosedRange<Int>
  var partial: ModelPartial

  /// A body up to this size is not kept for the next run: to fetch it again costs next to nothing.
  static let smallestPartial = 16 << 10

  /// One GET and its retries. `recorded` is the content that came from this source, if any; `size` is the size of the
  /// content as it is served.
  static func get(
    _ version: ServedVersion, _ target: ModelTarget, condition: ModelCondition?, recorded: Int?,
    partial: ModelPartial, size: Int
  ) -> ModelTransfer {
    switch version.manner {
    case .status(let status):
      let isRetried = [408, 425, 429, 500, 502, 503, 504].contains(status)
      let code = status == 204 ? "protocol" : "http-status"
      let tries = isRetried ? 1 + target.retries : 1
      // Once more without the range, which may be what the server refuses.
      let more = isRetried ? 0...0 : partial.ranges
      return ModelTransfer(
        ending: .failed(code), requests: tries + more.lowerBound...tries + more.upperBound, partial: partial)
    case .alwaysNotModified:
      if condition?.isSent == true {
        return ModelTransfer(ending: .confirmed, requests: 1...1, partial: partial)
      }
      return ModelTransfer(ending: .failed("protocol"), requests: 2...2, partial: .unknown)
    case .honest, .ignoresConditions, .cut:
      if let condition, confirms(version, condition, by: target.rule.innermost) {
        return ModelTransfer(ending: .confirmed, requests: 1...1, partial: partial)
      }
      if condition != nil, let recorded, version.sentDigest == recorded {
        return ModelTransfer(ending: .sameDigest(version.validators), requests: 1...1, partial: .none)
      }
      return body(version, target, partial, size)
    }
  }

  /// Whether the reply, a 304 or a 200, says that the local file is the server's version.
  private static func confirms(
    _ version: ServedVersion, _ condition: ModelCondition, by rule: ModelTarget.Rule
  ) -> Bool {
    switch condition {
    case .validators(let recorded):
      if rule == .mtime, let date = recorded.date, version.hasDate { return date == version.serial }
      if let tag = recorded.tag, version.tag != .none { return tag == version.serial }
      return recorded.date == version.serial && version.hasDate
    case .ownTime(let time):
      // Without a record: a date not later than the file's own time is fresh, whatever the status.
      guard version.hasDate else { return false }
      return switch time {
      case .recent: true
      case .ancient: false
      case .date(let serial): version.serial <= serial
      }
    }
  }

  private static func body(
    _ version: ServedVersion, _ target: ModelTarget, _ partial: ModelPartial, _ size: Int
  ) -> ModelTransfer {
    let whole = Ending.downloaded(content: version.content, version.validators)
    guard case .cut(let limit) = version.manner else {
      let refusals = version.refusals(of: partial)
      // A part comes without a digest of the file: the server's header covers a whole reply.
      if let digest = version.sentDigest, digest != version.content, !version.sendsRest(of: partial) {
        let tries = 1 + target.retries
        return ModelTransfer(
          ending: .failed("digest-mismatch"),
          requests: tries + refusals.lowerBound...tries + refusals.upperBound, partial: .none)
      }
      return ModelTransfer(
        ending: whole, requests: 1 + refusals.lowerBound...1 + refusals.upperBound, partial: .none)
    }
    guard version.tag == .strong else {
      // There is nothing to resume from: every try starts over.
      if limit >= size { return ModelTransfer(ending: whole, requests: 1...1, partial: .none) }
      let requests = 1 + target.retries
      return ModelTransfer(ending: .failed("truncated"), requests: requests...requests, partial: .unknown)
    }
    var starts: [Int]
    switch partial {
    case .none: starts = [0]
    case .bytes(let count, let serial): starts = [serial == version.serial ? count : 0]
    case .unknown: starts = [0, size - 1]
    }
    if limit == 0 { starts = [0] }
    let ends = starts.map { start in
      let end = tries(from: start, limit, size, 1 + target.retries)
      // The first range is refused, and no later one of this mirror has `If-Range`.
      let isRefused = version.refusesIfRange && (start > 0 || end.requests > 1 && limit > 0)
      return (requests: end.requests + (isRefused ? 1 : 0), reached: end.reached)
    }
    let requests = ends.map(\.requests)
    let range = (requests.min() ?? 1)...(requests.max() ?? 1)
    if ends.allSatisfy({ $0.reached == size }) {
      return ModelTransfer(ending: whole, requests: range, partial: .none)
    }
    let reached = ends[0].reached
    let kept: ModelPartial =
      size <= smallestPartial
      ? .none : ends.count > 1 ? .unknown : reached == 0 ? partial : .bytes(reached, serial: version.serial)
    return ModelTransfer(ending: .failed("truncated"), requests: range, partial: kept)
  }

  private static func tries(from start: Int, _ limit: Int, _ size: Int, _ most: Int)
    -> (requests: Int, reached: Int)
  {
    var have = start
    for request in 1...most {
      have = min(have + limit, size)
      if have == size { return (request, have) }
    }
    return (most, have)
  }
}

extension ModelCondition {
  /// Whether a request bears it: of a version without validators only a digest can tell.
  fileprivate var isSent: Bool {
    if case .validators(let recorded) = self { !recorded.isEmpty } else { true }
  }
}

extension ModelPartial {
  /// How many of the first requests ask for a range.
  fileprivate var ranges: ClosedRange<Int> {
    switch self {
    case .none: 0...0
    case .bytes(let count, _): count > 0 ? 1...1 : 0...0
    case .unknown: 0...1
    }
  }
}

extension ServedVersion {
  /// Whether a request for the rest of `partial` is answered with the rest, in the end.
  fileprivate func sendsRest(of partial: ModelPartial) -> Bool {
    guard tag == .strong, case .bytes(let count, let serial) = partial else { return false }
    return count > 0 && serial == self.serial
  }

  /// The number of requests for the rest of `partial` that are answered with the whole of the same version.
  fileprivate func refusals(of partial: ModelPartial) -> ClosedRange<Int> {
    guard refusesIfRange, tag == .strong else { return 0...0 }
    return switch partial {
    case .none: 0...0
    case .bytes(let count, let serial): count > 0 && serial == self.serial ? 1...1 : 0...0
    case .unknown: 0...1
    }
  }
}
