import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A list as a run has read it, so that the next one asks conditionally, and `--offline` has an answer.
package struct StoredList: Sendable, Equatable {
  /// One page.
  package struct Page: Sendable, Equatable {
    /// What was asked for, without a signature.
    package var url: String
    /// Those of the reply; their URL is the page's own, after redirects.
    package var validators: Validators
    /// As it came.
    package var body: [UInt8]
    /// The next page by the header `Link`, absolute; `nil` for none.
    package var next: String?
    /// The pages that the body names, so that an unchanged one need not be read to ask for them; `nil` where they are
    /// not known, or must not be stored.
    package var further: [String]?

    /// Removes what signs `url`; ``further`` is not known yet.
    package init(url: String, validators: Validators, body: [UInt8], next: String? = nil) {
      self.url = ResourceURL.text(of: url)
      self.validators = validators
      self.body = body
      self.next = next
    }

    /// Whether the entries of both are the same, whatever the validators are.
    package func saysTheSame(as other: Page) -> Bool {
      url == other.url && validators.origin == other.validators.origin && next == other.next
        && body == other.body
    }
  }

  /// In the order in which they were asked for.
  package var pages: [Page]

  /// Nothing is checked.
  package init(pages: [Page]) { self.pages = pages }

  /// The sum of all that the entries are made of.
  package func sum(_ key: ByteSum.Key) -> ByteSum.Value {
    var sum = ByteSum(key)
    for page in pages {
      var head = BinaryWriter()
      for text in [page.url, page.validators.url, page.next] { head.add(text: text) }
      head.add(UInt64(page.body.count))
      for bytes in [head.bytes, page.body] { unsafe bytes.withUnsafeBytes { unsafe sum.update($0) } }
    }
    return sum.value
  }
}

/// The lists that runs have read, in `lists/` of the state folder; a cache, so that nothing is synced.
///
/// A key is 32 hexadecimal digits that the caller makes of all that a list's text depends on. Damaged files count as
/// missing. Nothing here needs the run lock: of two runs that store a list at once, one may leave a damaged file.
package struct StoredLists: Sendable {
  /// All pages of a list together have at most 64 MiB (contract, section 11); a longer file is foreign.
  private static let longest = 80 << 20
  private static let form = SealedForm("synclst3")

  private let folder: String

  /// `stateFolder` is its path.
  package init(stateFolder: String) { folder = stateFolder + "/lists" }

  /// `nil` if there is none, or none that can be used.
  package func read(_ key: String) -> StoredList? {
    guard let file = try? Descriptor(reading: path(key)), let size = try? file.regularSize,
      size <= Self.longest,
      let bytes = try? file.read(upTo: size, at: 0), Self.form.isIntact(bytes)
    else { return nil }
    return unsafe bytes.withUnsafeBytes {
      var reader = unsafe BinaryReader($0, at: SealedForm.contentOffset)
      return try? Self.list(&reader)
    }
  }

  /// Stores a list in one step; what cannot be written is left out, and the next run asks without conditions.
  package func write(_ list: StoredList, as key: String) {
    guard unsafe mkdir(folder, 0o777) == 0 || errno == EEXIST, isFolder else { return }
    var out = Self.form.writer(.random(), reserving: 256 + list.pages.reduce(0) { $0 + $1.body.count + 256 })
    out.add(UInt64(list.pages.count))
    for page in list.pages { out.add(page) }
    AtomicFile.replace(path(key), with: SealedForm.sealed(out))
  }

  /// Removes a list; what cannot be removed is left.
  package func remove(_ key: String) { if isFolder { unsafe unlink(path(key)) } }

  private var isFolder: Bool { (try? FileStatus.requireFolder(folder)) != nil }

  private func path(_ key: String) -> String { folder + "/" + key }

  private static func list(_ reader: inout BinaryReader) throws(DamagedData) -> StoredList {
    var pages: [StoredList.Page] = []
    for _ in 0..<(try reader.number(UInt64.self)) { pages.append(try reader.page()) }
    guard reader.isAtEnd else { throw DamagedData() }
    return StoredList(pages: pages)
  }
}

extension BinaryWriter {
  fileprivate mutating func add(_ page: StoredList.Page) {
    add(text: page.url)
    add(text: page.validators.url)
    add(text: page.validators.etag?.text)
    add(text: page.validators.lastModified)
    add(text: page.next)
    add(page.further.map { UInt32($0.count) } ?? .max)
    for url in page.further ?? [] { add(text: url) }
    add(UInt64(page.body.count))
    bytes += page.body
  }

  /// Its length before it; a missing one has the greatest.
  fileprivate mutating func add(text: String?) {
    add(text.map { UInt32($0.utf8.count) } ?? .max)
    if let text { bytes += text.utf8 }
  }
}

extension BinaryReader {
  fileprivate mutating func page() throws(DamagedData) -> StoredList.Page {
    guard let url = try text(), let place = try text() else { throw DamagedData() }
    let validators = Validators(etag: try text().map { EntityTag($0) }, lastModified: try text(), url: place)
    let next = try text()
    let further = try further()
    let body = unsafe Array(try take(try number(Int64.self)))
    var page = StoredList.Page(url: url, validators: validators, body: body, next: next)
    page.further = further
    return page
  }

  private mutating func further() throws(DamagedData) -> [String]? {
    let count = try number(UInt32.self)
    if count == .max { return nil }
    var urls: [String] = []
    for _ in 0..<count {
      guard let url = try text() else { throw DamagedData() }
      urls.append(url)
    }
    return urls
  }

  private mutating func text() throws(DamagedData) -> String? {
    let count = try number(UInt32.self)
    if count == .max { return nil }
    let bytes = unsafe try take(Int64(count))
    return unsafe String(decoding: bytes, as: UTF8.self)
  }
}
