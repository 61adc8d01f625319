import SyncModel

/// Collects what one page says, and has the rules that all formats share.
final class EntryCollector {
  /// The page's URL.
  let base: URLBase
  private var entries: [ListEntry] = []
  private var further: [String] = []
  /// See ``ListPage/next``.
  var next: String?
  /// See ``ListPage/unasked``.
  var unasked: String?
  /// How many entries the page has so far; those that are dropped count, too.
  private(set) var number = 0
  /// The first fault, for readers that cannot throw it.
  private var fault: ListFault?
  /// What the length of all URLs may still be: a long base makes a large list of a small page.
  private var roomForURLs: Int

  init(_ base: URLBase, roomForURLs: Int = 256 << 20) {
    self.base = base
    self.roomForURLs = roomForURLs
  }

  /// The result; throws the first fault that was kept.
  func page() throws(ListFault) -> ListPage {
    if let fault { throw fault }
    if entries.isEmpty, further.isEmpty, next == nil, unasked == nil { throw ListFault(.empty) }
    var gathering = ListGathering()
    try gathering.add(entries)
    var page = ListPage(entries: gathering.entries, further: further)
    (page.next, page.unasked) = (next, unasked)
    return page
  }

  /// Adds the entry that `make` makes. Every entry and row of a page is added so, in order.
  func add(_ make: () throws(ListFault) -> ListEntry?) throws(ListFault) {
    number += 1
    do throws(ListFault) {
      guard let entry = try make() else { return }
      guard entries.count < ListLimits.entries else { throw ListFault(.tooManyEntries) }
      entries.append(entry)
    } catch {
      var fault = error
      fault.entry = fault.entry ?? number
      throw fault
    }
  }

  /// The same within a callback: the first fault is kept for ``page()``, and nothing is added after it.
  func addOrKeepFault(_ make: () throws(ListFault) -> ListEntry?) {
    orKeepFault { () throws(ListFault) in try add(make) }
  }

  /// Performs `action` unless there is a fault already.
  func orKeepFault(_ action: () throws(ListFault) -> Void) {
    guard fault == nil else { return }
    do throws(ListFault) { try action() } catch { fault = error }
  }

  // MARK: URLs

  /// The absolute URL of `reference`, which is in a document or element with the base `base`.
  func url(_ reference: String, base: URLBase? = nil) throws(ListFault) -> String {
    guard let url = (base ?? self.base).resolve(reference), self.base.mayLead(to: url) else {
      throw ListFault(.badURL(reference))
    }
    try takeRoom(for: url)
    return url
  }

  private func takeRoom(for url: String) throws(ListFault) {
    roomForURLs -= url.utf8.count
    guard roomForURLs >= 0 else { throw ListFault(.malformed("its URLs are too long in all")) }
  }

  /// The URLs of one file, best first: those of other protocols are left out, and so are those by http in a list by
  /// https. At least one must be left.
  func urls(_ references: [String]) throws(ListFault) -> [String] {
    var urls: [String] = []
    var fault: ListFault?
    for reference in references {
      do throws(ListFault) {
        let url = try url(reference)
        if !urls.contains(where: { $0.hasSameBytes(as: url) }) { urls.append(url) }
      } catch {
        guard case .badURL = error.reason else { throw error }
        fault = fault ?? error
      }
    }
    if urls.isEmpty { throw fault ?? ListFault(.lacks("a URL")) }
    return urls
  }

  /// The URL of a further page.
  func addFurther(_ reference: String, base: URLBase? = nil) throws(ListFault) {
    let url = try self.base.furtherPage(reference, base: base)
    try takeRoom(for: url)
    if !further.contains(where: { $0.hasSameBytes(as: url) }) {
      guard further.count < ListLimits.pages else { throw ListFault(.tooManyPages) }
      further.append(url)
    }
  }

  /// The last part of the path without escapes; `nil` for a URL that names no file.
  static func name(of url: String) -> String? { WebURL.lastPathPart(of: url) }

  /// Whether the path ends in a slash.
  static func isFolder(_ url: String) -> Bool {
    url.utf8.prefix { $0 != UInt8(ascii: "?") }.last == UInt8(ascii: "/") || WebURL(url)?.path == "/"
  }

  // MARK: Values

  /// `text` as a number of bytes; `nil` for anything else.
  static func size(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int64(text)
  }

  /// The same of a field that must be a size if it is there.
  static func size(_ text: String?, field name: String) throws(ListFault) -> Int64? {
    guard let text else { return nil }
    guard let size = size(text) else { throw ListFault(.badField(name: name, value: text)) }
    return size
  }

  /// The moment of a field that must be a date with a time if it is there.
  static func moment(_ text: String?, field name: String) throws(ListFault) -> Timestamp? {
    guard let text else { return nil }
    guard let moment = ListDate.moment(text) else { throw ListFault(.badField(name: name, value: text)) }
    return moment
  }

  /// `text`, unless it is empty.
  static func filled(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
}
