import SyncModel

/// Why an untrusted manifest may not go on, in words; foreign texts unchanged.
struct PolicyWording {
  var mask: (String) -> String

  /// The whole message of such a failure; empty for any other.
  func text(_ cause: FailureCause) -> String {
    switch cause {
    case .hostRefused(let url, let from, let fault): text(fault, of: mask(url), from: from.map(mask))
    case .addressRefused(let url, let address, let what):
      "refused to connect to \(mask(url)): \(address) is \(what.objection)"
    case .budgetExceeded(let limit): Self.text(limit)
    default: ""
    }
  }

  private func text(_ fault: HostFault, of url: String, from: String?) -> String {
    let what = from.map { "refused the redirect from \($0) to \(url)" } ?? "refused to ask for \(url)"
    let rule = fault.rule { "\"\(mask($0))\"" }
    return fault == .file ? "refused to read \(url): \(rule)" : "\(what): \(rule)"
  }

  private static func text(_ limit: ReachedLimit) -> String {
    switch limit {
    case .bytes(let limit): "the downloads exceed the policy's limit of \(Quantity.size(limit))"
    case .file(let limit): "the file exceeds the policy's limit of \(Quantity.size(limit))"
    case .requests(let limit): "the policy's limit of \(Quantity.count(limit, "request")) is reached"
    case .time(let limit): "the policy's time of \(Quantity.duration(limit)) is over"
    case .redirects(let limit): "the policy's limit of \(Quantity.count(limit, "redirect")) is reached"
    }
  }

  /// The limit's key in a policy.
  static func key(_ limit: ReachedLimit) -> String {
    switch limit {
    case .bytes: "bytes"
    case .file: "file"
    case .requests: "requests"
    case .time: "time"
    case .redirects: "redirects"
    }
  }
}
