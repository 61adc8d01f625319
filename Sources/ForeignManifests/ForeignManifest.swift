import SyncModel

/// What a foreign file says, as a value: what can be converted, and what cannot.
struct ForeignManifest {
  enum Item {
    case target(ForeignTarget)
    /// An entry that cannot be converted: what it is, and why.
    case remark(line: Int, what: String, why: String)
  }

  /// In the order of the file.
  private(set) var items: [Item] = []

  mutating func add(_ target: ForeignTarget) { items.append(.target(target)) }

  mutating func remark(_ line: Int, _ what: String, _ why: String) {
    items.append(.remark(line: line, what: what, why: why))
  }

  /// A target with those of `urls` that can be fetched; `nil` after a remark if there is none.
  mutating func target(_ urls: [String], line: Int) -> ForeignTarget? {
    var target = ForeignTarget(line: line, urls: [])
    for url in urls {
      if let why = Self.objection(url) {
        target.remark("\(Shown.address(url)): \(why)")
      } else {
        target.urls.append(url)
      }
    }
    guard target.urls.isEmpty else { return target }
    for url in urls { remark(line, Shown.address(url), Self.objection(url) ?? "") }
    return nil
  }

  /// Why an address cannot be fetched; `nil` if it can.
  private static func objection(_ url: String) -> String? {
    guard let scheme = WebURL.scheme(of: url) else { return "this is not a URL" }
    guard WebURL.isWeb(scheme) || scheme == "file" else { return "syncmake fetches by http and https" }
    return AddressParts(url) == nil ? "this is not a URL" : nil
  }
}
