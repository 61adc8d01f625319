import Lists
import SyncModel

/// Lists of one format: every entry can be used, and what surrounds a document changes it or is a fault.
///
/// The sum of an input's bytes chooses how it is read, and whether it is read again in other ways: most inputs are read
/// once, so that many can be tried.
enum ListCheck {
  private typealias Reading = Result<ListPage, ListFault>

  private static let url = "https://lists.example.org/pub/list?page=1"

  /// A check for each format, such as `list-atom`.
  static let all = ListFormat.allCases.map { format in
    FuzzCheck(name: "list-\(format.rawValue)") { (input) throws(Violation) in
      let (fields, sum) = (fields(format), input.reduce(0) { $0 + Int($1) })
      let reader = ListReader(format: format, fields: fields[sum % fields.count])
      try run(input, reader, isReadAgain: sum / fields.count % 4 == 0)
    }
  }

  /// Places that the seeds have.
  private static func fields(_ format: ListFormat) -> [ListFields] {
    switch format {
    case .json:
      ["", "/files", "/result/resources"].flatMap { place in
        [
          [],
          [("key", "/key"), ("url", "/links/self"), ("digest", "/checksum"), ("a", "/a/0/b"), ("b", "/a")],
        ].map {
          ListFields(entries: JSONPointer(place), columns: $0)
        }
      }
    case .csv: [ListFields(), ListFields(columns: [("url", "link"), ("version", "rev"), ("other", "key")])]
    default: [ListFields()]
    }
  }

  private static func read(_ bytes: [UInt8], _ reader: ListReader, url: String = url) -> Reading {
    Result { () throws(ListFault) in try reader.page(bytes, url: url) }
  }

  private static func run(_ input: [UInt8], _ reader: ListReader, isReadAgain: Bool) throws(Violation) {
    let reading = read(input, reader)
    if isReadAgain { try demand(read(input, reader) == reading, "\(reading), but not the second time") }
    switch reading {
    case .success(let page):
      try demand(!page.entries.isEmpty || !page.further.isEmpty, "an empty page")
      try checkPage(page)
      for entry in page.entries { try checkEntry(entry, reader.format) }
      if isReadAgain {
        try checkScheme(page, input, reader)
        try checkSurroundings(page, input, reader)
      }
    case .failure(let fault):
      let lines = 1 + input.count { $0 == 0x0A || $0 == 0x0D }
      let isUTF16 = input.contains(0)
      try demand((1...lines).contains(fault.line ?? 1) || isUTF16, "\(fault) in \(lines) lines")
      try demand(fault.entry ?? 1 >= 1, "\(fault)")
      try demand(fault.reason != .noLibrary, "expat is not there")
    }
  }

  // MARK: Results

  private static func checkPage(_ page: ListPage) throws(Violation) {
    let identities = Set(page.entries.map { [ByteString($0.key), ByteString($0.version ?? "\u{0}")] })
    try demand(identities.count == page.entries.count, "a key is there twice")
    for url in page.further {
      try checkURL(url)
      try demand(WebURL(url)?.hasCredentials == false, "\(url) has a name or a password")
    }
    var gathering = ListGathering()
    for _ in 0..<2 {
      guard (try? gathering.add(page)) != nil else { throw Violation("a page contradicts itself") }
    }
    try demand(gathering.entries == page.entries, "the same page again changes the list")
  }

  private static func checkURL(_ url: String) throws(Violation) {
    guard let parts = WebURL(url) else { throw Violation("\(url) is no URL") }
    try demand(parts.origin.scheme == "https", "\(url) is not by https")
    try demand(!url.utf8.contains(UInt8(ascii: "#")), "\(url) has a fragment")
    try demand(url.utf8.count <= URLBase.longest, "\(url) is long")
  }

  private static func checkEntry(_ entry: ListEntry, _ format: ListFormat) throws(Violation) {
    try demand(!entry.key.isEmpty, "an empty key")
    for url in [entry.url] + entry.mirrors { try checkURL(url) }
    try demand(entry.size ?? 0 >= 0, "\(entry)")
    let algorithms = Set(entry.digests.map(\.algorithm))
    try demand(algorithms.count == entry.digests.count, "two digests of one algorithm")
    for digest in entry.digests {
      try demand(digest.value.text.utf8.count == digest.algorithm.hexCount, "\(digest)")
    }
    switch format {
    case .index: try checkFile(entry)
    case .checksums, .s3:
      let path = WebURL(entry.url).flatMap { WebURL.percentDecoded($0.path) } ?? ""
      try demand(
        path.utf8.reversed().starts(with: entry.key.utf8.reversed()), "\(entry.key) has the path \(path)")
    default: break
    }
  }

  /// A file directly in the folder.
  private static func checkFile(_ entry: ListEntry) throws(Violation) {
    let folder = "https://lists.example.org/pub/"
    try demand(entry.url.utf8.starts(with: folder.utf8), "\(entry.url) is elsewhere")
    let part = String(Substring(entry.url.utf8.dropFirst(folder.utf8.count)))
    try demand(!part.utf8.contains(UInt8(ascii: "/")), "\(entry.url) is deeper")
    // A name that is not UTF-8 keeps its escapes.
    let name = WebURL.percentDecoded(part) ?? part
    try demand(name.hasSameBytes(as: entry.key), "\(entry.key) has the URL \(entry.url)")
  }

  // MARK: Other readings

  /// By http, the same list is one, too. A docset may have other mirrors then, and so another key; and `//h/a` is another
  /// URL than `https://h/a` then, so that one key may have two.
  private static func checkScheme(_ page: ListPage, _ input: [UInt8], _ reader: ListReader) throws(Violation)
  {
    guard reader.format != .dash else { return }
    let other = read(input, reader, url: "http" + url.dropFirst(5))
    if case .failure(let fault) = other, case .repeatedKey = fault.reason { return }
    guard case .success(let plain) = other else { throw Violation("by http: \(other)") }
    let keys = page.entries.map { ByteString($0.key) }
    try demand(plain.entries.map { ByteString($0.key) } == keys, "by http other keys")
  }

  private static func checkSurroundings(
    _ page: ListPage, _ input: [UInt8], _ reader: ListReader
  ) throws(Violation) {
    // In UTF-16, none of the following means what it says.
    guard !input.contains(0) else { return }
    func same(_ bytes: [UInt8], _ what: String) throws(Violation) {
      try demand(read(bytes, reader) == .success(page), "\(what) changes the list")
    }
    func faulty(_ bytes: [UInt8], _ what: String) throws(Violation) {
      if case .success = read(bytes, reader) { throw Violation("\(what) is read over") }
    }
    switch reader.format {
    case .atom, .rss, .dash, .s3, .sitemap, .metalink:
      try same(input + Array("\n<!-- x -->\n".utf8), "a comment")
      try faulty(input + Array("<x/>".utf8), "a second document")
      guard !input.starts(with: [0xEF, 0xBB, 0xBF]), !input.starts(with: Array("<?xml".utf8)) else { return }
      try faulty(Array("<!DOCTYPE x [<!ENTITY a \"a\">]>".utf8) + input, "a DOCTYPE")
    case .github, .json:
      try same(input + Array(" \r\n\t".utf8), "a blank")
      for more in ["x", ",", "]", "}", "null"] { try faulty(input + [0x20] + Array(more.utf8), more) }
    case .index: try same(input + Array("\n".utf8), "a line feed")
    case .checksums, .csv: break
    }
  }
}
