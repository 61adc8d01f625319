import SyncModel

/// Whose reply it is: which conditions and which range the request bore, and what its resource is recorded as.
extension FetchMachine {
  /// The conditions that the request bore whose reply ``observed`` is of.
  func askedConditions() -> Validators? {
    guard let question = nowAsking, let conditions = question.conditions,
      conditions.areSent(to: observedResource, first: question.asksRedirector ? firstResource : nil)
    else { return nil }
    return conditions
  }

  /// The resource of the question's own URL.
  var ownResource: String { nowAsking.map { order.secrets.mask($0.url.shown) } ?? "" }

  /// The resource of the first request.
  var firstResource: String {
    guard let rewritten = nowAsking?.rewritten else { return ownResource }
    return resource(order.secrets.mask(ResourceURL.text(of: rewritten.url)))
  }

  /// What the resource at `url` is recorded as.
  func resource(_ url: String) -> String {
    nowAsking?.rewritten == nil ? url : ResourceURL.ofMirror(url, origin: ownResource)
  }

  /// Whether the reply may be a copy of what is recorded, because it comes from another place.
  var isRedirected: Bool {
    nowAsking?.rewritten != nil || !observed.areOf(firstResource)
      || nowAsking?.conditions?.isOfMirror == true
  }

  /// Whether the recorded version may have come from the present mirror.
  ///
  /// The mirror is not recorded. A validator of one mirror is not valid for another.
  func mayHaveLed(to conditions: Validators?) -> Bool {
    guard !order.isOfOtherURL else { return false }
    guard let conditions, order.mirrors.count > 1 else { return true }
    return mirror.index == 0
      && !order.mirrors.dropFirst().contains { conditions.areOf(order.secrets.mask($0.shown)) }
  }

  /// The same of the range.
  func askedResume() -> ResumePoint? {
    guard let resume = nowAsking?.resume, resume.isSent(to: observedResource, first: firstResource) else {
      return nil
    }
    return resume
  }

  /// Whether a 200 has the version of the resume point: then the server does not support `If-Range` with ETags.
  func refusesIfRange(_ head: ResponseHead) -> Bool {
    guard order.purpose == .download, let asked = askedResume(), asked.isGuarded else { return false }
    return asked.validator.etag.map { $0 == head.etag } ?? false
  }

  /// Whether the reply to a question for a size is that of a server which answers a HEAD without looking at the file: the
  /// length of an empty body, and no validator.
  func isHollow(_ observed: Validators, _ bytes: Int64?) -> Bool {
    order.purpose == .size && nowAsking?.method == .head && bytes == 0 && observed.isEmpty
  }

  func mayKeep(_ encoding: String, of url: String) -> Bool {
    guard EncodedFile.isGzip(encoding) else { return false }
    return order.isDocument || EncodedFile.isStored(encoding, urls: [url, order.mirrors[mirror.index].text])
  }
}
