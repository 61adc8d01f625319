import Planning
import SyncModel

/// Possible orders for a fetch, and possible answers of a server.
enum FetchWorld {
  static let secret = "s3cr3t"
  static let now = Timestamp(seconds: 1_700_000_000)
  private static let urls = [
    "https://a.example/f.bin", "https://b.example/f.gz", "https://a.example/f.bin?key=\(secret)",
    "http://a.example/f.bin", "https://b.example/f.bin",
  ]
  // The last two are equal to Swift, though not to a server.
  private static let tags = [
    nil, "\"v1\"", "\"v2\"", "W/\"v1\"", "W/\"v2\"", "v1", "\"\"", "\"\u{E9}\"", "\"e\u{301}\"",
  ]
  private static let dates = [
    nil, "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Tue, 14 Nov 2023 22:13:20 GMT",
    "yesterday",
  ]

  static let faults: [FailureCause] = [
    .connectFailed(url: "", text: ""), .timeout(url: "", phase: .total, after: .seconds(1)),
    .stalled(url: "", after: .seconds(1), received: 0, expected: nil), .tls(url: "", text: ""),
    .truncated(url: "", received: 0, expected: 9), .protocolError(url: "", .unequalContentLengths),
    .redirectRefused(from: "", to: "", .downgrade), .hostRefused(url: "", from: nil, .scheme),
    .addressRefused(url: "", .v4(0), .unspecified), .budgetExceeded(.requests(1)), .diskFull(path: ""),
    .offline, .internalError(""),
  ]
  static let contentFaults: [FailureCause] = {
    guard let one = HexDigest(String(repeating: "0", count: 32), .md5),
      let other = HexDigest(String(repeating: "1", count: 32), .md5)
    else { return [] }
    return [
      .digestMismatch(algorithm: .md5, expected: one, actual: other, step: 0),
      .sizeMismatch(expected: 9, actual: 8, step: 0), .corrupt(Corruption(.gzip, offset: 1, text: "")),
      .tooLarge(limit: 9, size: 10),
    ]
  }()

  private static func mask(_ url: String) -> String { SecretMask(values: [secret]).mask(url) }

  static func order(_ choices: inout Choices) -> FetchOrder {
    let count = 1 + choices.below(3)
    var order = FetchOrder(mirrors: (0..<count).map { _ in .web(choices.pick(urls)) })
    order.purpose = choices.below(4) == 1 ? .probe : .download
    order.retries = choices.below(4)
    order.rule = choices.pick([.etag, .mtime, .interval(period: .seconds(9), then: .etag), .always])
    order.maxSize = choices.pick([nil, nil, 250])
    order.acceptsUnprovenLength = choices.below(4) == 1
    order.secrets = SecretMask(values: [secret])
    order.seed = UInt64(choices.byte())
    order.conditions = conditions(&choices)
    order.recordedSize = choices.pick([nil, 300])
    if choices.below(4) == 1 { order.recorded = recorded }
    if order.purpose == .download, choices.flag() {
      let strong = ["\"v1\"", "\"\u{E9}\""]
      let (etag, date) = (EntityTag(choices.pick(strong)), "Sun, 06 Nov 1994 08:49:37 GMT")
      order.isCheckedByDigest = choices.flag()
      order.resume = ResumePoint(
        offset: 1 + Int64(choices.below(200)), total: choices.pick([nil, 300]),
        validator: choices.pick([.etag(etag), .date(date)]), url: mask(choices.pick(urls)),
        isCheckedByDigest: order.isCheckedByDigest)
    }
    return order
  }

  private static func conditions(_ choices: inout Choices) -> Validators? {
    let conditions = Validators(
      etag: choices.pick(tags).map { EntityTag($0) }, lastModified: choices.pick(dates),
      url: mask(choices.pick(urls)))
    switch choices.below(4) {
    case 0: return nil
    case 1: return Validators(lastModified: "Tue, 14 Nov 2023 22:13:20 GMT", origin: .ownTime)
    case 2 where conditions.etag == nil: return Validators(fileStamp: "9-100", origin: conditions.origin)
    default: return conditions.isEmpty ? nil : conditions
    }
  }

  /// A reply that fits `question`, with some parts changed as the input decides.
  static func head(to question: FetchQuestion, _ choices: inout Choices) -> ResponseHead {
    let statuses = [200, 206, 206, 304, 416, 503, 429, 404, 203, 204, 500, 418, 205, 301, 999]
    var head = ResponseHead(status: choices.pick(statuses), url: question.url.text)
    let spoilt = choices.byte()
    if spoilt & 1 != 0 { head.url = choices.pick(urls) }
    head.etag = question.resume?.validator.etag ?? question.conditions?.etag
    if spoilt & 2 != 0 { head.etag = choices.pick(tags).map { EntityTag($0) } }
    head.lastModified = question.conditions?.lastModified
    if case .date(let date)? = question.resume?.validator {
      (head.lastModified, head.date) = (date, dates[3])
    }
    if spoilt & 4 != 0 { head.lastModified = choices.pick(dates) }
    let offset = question.resume?.offset ?? 0
    let total = question.resume?.total ?? 300
    head.contentLength = head.status == 206 ? total - offset : total
    if spoilt & 8 != 0 { head.contentLength = choices.pick([nil, 0, 1, 300, .max]) }
    if head.status == 206 { head.contentRange = "bytes \(offset)-\(total - 1)/\(total)" }
    if spoilt & 16 != 0 { head.contentRange = range(offset, total, &choices) }
    if spoilt & 32 != 0 { head.contentEncoding = choices.pick(["gzip", "x-gzip", "br"]) }
    if spoilt & 64 != 0 { head.contentType = choices.pick(["multipart/byteranges", "text/html"]) }
    if spoilt & 128 != 0 {
      head.retryAfter = choices.pick([
        "0", "5", "60", "61", "99999999999999999999", "Tue, 14 Nov 2023 22:13:50 GMT",
        "Fri, 31 Dec 9999 23:59:59 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", "-1", "soon",
      ])
    }
    if choices.below(4) == 1 {
      let name = choices.pick(DigestField.Name.allCases)
      let value = choices.pick([sha256, "sha-256=:\(base64):", "sha-256=\(base64)", base64, "COMPOSITE", ""])
      head.digestFields = [DigestField(name, value, isOfRedirect: choices.flag())]
    }
    return head
  }

  /// Of "hello\n".
  private static let sha256 = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
  private static let base64 = "WJG1tSLV3whtD/CxEPvZ0hu0/HFjrzTQgoai6Eb2vgM="
  private static let recorded = ContentIdentity(size: 6, sha256: HexDigest(hex: sha256))

  private static func range(_ offset: Int64, _ total: Int64, _ choices: inout Choices) -> String? {
    let first = offset + Int64(choices.below(3)) - 1
    let last = total - Int64(choices.below(3))
    return choices.pick([
      nil, "bytes \(first)-\(last)/\(total)", "bytes \(offset)-\(total - 1)/*", "bytes */\(total)",
      "bytes \(offset)-\(total - 1)/\(total &+ 1)", "bytes 0-\(total - 1)/\(total)",
      "BYTES \(offset)-\(last)/301",
      "bytes -\(offset)-\(last)/\(total)", "bytes \(offset)-9223372036854775807/9223372036854775807",
      "bytes \(offset)-99999999999999999999/\(total)", "items 0-1/2", "",
    ])
  }
}
