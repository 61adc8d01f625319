import SyncModel

/// What a JSON document says of further pages.
///
/// Only the root and the objects where APIs keep such things are looked at, and only values that can mean a page: a row
/// of any document may have a `next`.
struct JSONPaging {
  /// The reference of the next page; `nil` if the document has none.
  private(set) var next: String?
  /// Of a member that can only mean that there are further pages.
  private var token: String?
  private var hasMore: Bool?

  /// The pointer to a member that says that there are further pages, but not where; `nil` if none does.
  var unasked: String? { next == nil && hasMore != false ? token : nil }

  private static let links = ["links", "_links"]
  private static let places = links + ["meta", "pagination", "paging"]
  /// Outside of ``links``, these may mean something else than a page: only what looks like a URL does.
  private static let vague = ["next", "next_page"]
  private static let references = vague + ["next_url", "next_page_url", "nextLink", "@odata.nextLink"]
  private static let tokens = ["continuationToken", "nextPageToken", "next_page_token", "next_cursor"]
  private static let flag = "has_more"

  /// What the rows do not need must not make the document unusable: after a fault, what was found before it counts.
  init(_ bytes: [UInt8]) {
    var json = JSONSource(bytes)
    try? read(&json, Self.places + Self.references + Self.tokens + [Self.flag], in: nil)
  }

  /// Reads the next value, which is the member `place` of the root, or the root itself.
  private mutating func read(
    _ json: inout JSONSource, _ names: [String], in place: String?
  ) throws(ListFault) {
    guard json.kind() == .object else { return try json.skip() }
    try json.members(names) { (json: inout JSONSource, number: Int) throws(ListFault) in
      let name = names[number]
      let pointer = (place.map { "/" + $0 } ?? "") + "/" + name
      if Self.links.contains(name), json.kind() == .array {
        try readLinks(&json)
      } else if Self.places.contains(name) {
        try read(&json, Self.references + Self.tokens + [Self.flag], in: name)
      } else if Self.references.contains(name) {
        let isLink = place.map(Self.links.contains) ?? false
        try readReference(&json, mayBeOther: Self.vague.contains(name) && !isLink, at: pointer)
      } else {
        try readToken(&json, name, at: pointer)
      }
    }
  }

  /// A URL, or a link of HAL or JSON:API. A number is that of the next page.
  private mutating func readReference(
    _ json: inout JSONSource, mayBeOther: Bool, at pointer: String
  ) throws(ListFault) {
    switch json.kind() {
    case .object:
      try json.members(["href"]) { (json: inout JSONSource, _: Int) throws(ListFault) in
        guard json.kind() == .string else { return try json.skip() }
        try readReference(&json, mayBeOther: false, at: pointer)
      }
    case .string:
      let text = try json.text("next") ?? ""
      let isPage =
        !text.isEmpty && (!mayBeOther || ["http://", "https://", "/", "?"].contains(where: text.hasPrefix))
      if isPage { next = next ?? text }
    case .number where pointer.hasSuffix("/next_page"): try readToken(&json, "next_page", at: pointer)
    default: try json.skip()
    }
  }

  /// Links with their relations, as STAC has them.
  private mutating func readLinks(_ json: inout JSONSource) throws(ListFault) {
    try json.items { (json: inout JSONSource, _: Int) throws(ListFault) in
      guard json.kind() == .object else { return try json.skip() }
      var texts: [String?] = [nil, nil]
      try json.members(["rel", "href"]) { (json: inout JSONSource, place: Int) throws(ListFault) in
        if json.kind() == .string { texts[place] = try json.text("link") } else { try json.skip() }
      }
      if texts[0] == "next", let href = texts[1], !href.isEmpty { next = next ?? href }
    }
  }

  private mutating func readToken(
    _ json: inout JSONSource, _ name: String, at pointer: String
  ) throws(ListFault) {
    let kind = json.kind()
    guard kind == .string || kind == .number || kind == .bool else { return try json.skip() }
    let text = try json.text(name) ?? ""
    if kind == .bool, name == Self.flag {
      hasMore = text == "true"
      if text == "true" { token = token ?? pointer }
    } else if kind != .bool, name != Self.flag, !["", "0"].contains(text) {
      token = token ?? pointer
    }
  }
}
