import Lists
import StateStore
import SyncModel

/// The pages of one list as they come, and the entries that they make.
///
/// Pages that are as they were stored are read only when the entries are wanted: a run that has nothing to do by its
/// snapshot wants none.
struct ListPages {
  /// In the order in which they were asked for.
  private(set) var all: [StoredList.Page] = []
  private let list: ListDeclaration
  private let secrets: SecretMask
  /// The URLs of ``all`` as they were asked for, with their secrets.
  private var asked: [String] = []
  /// How many of ``all`` were read.
  private var readCount = 0
  private var gathering = ListGathering()

  init(_ list: ListDeclaration, _ secrets: SecretMask) {
    self.list = list
    self.secrets = secrets
  }

  /// Whether none was read, since all are as they were stored.
  var areUnread: Bool { readCount == 0 }

  /// Takes the page that was asked for at `url`; returns the URLs of the pages that it names.
  mutating func add(
    _ page: StoredList.Page, askedAt url: String, isAsStored: Bool
  ) throws(ListFault) -> [String] {
    all.append(page)
    asked.append(url)
    if isAsStored, readCount == 0, let further = page.further { return further + next(after: page) }
    return try readOn()
  }

  /// The entries of all pages, each identity once.
  mutating func entries() throws(ListFault) -> [ListEntry] {
    _ = try readOn()
    guard !gathering.entries.isEmpty else { throw ListFault(.empty) }
    // The manifest says that there are digests: without any, nothing would be compared, and nobody would know.
    let digest = list.fields.columns.first { $0.name == ListFields.Role.digest.rawValue }
    if let digest, gathering.entries.allSatisfy(\.digests.isEmpty) {
      throw ListFault(.noDigest(digest.place))
    }
    return gathering.entries
  }

  /// Reads those that were not read; returns what the last one names.
  private mutating func readOn() throws(ListFault) -> [String] {
    var named: [String] = []
    while readCount < all.count { named = try readNext() }
    return named
  }

  private mutating func readNext() throws(ListFault) -> [String] {
    let (page, url) = (all[readCount], asked[readCount])
    readCount += 1
    let next = next(after: page)
    do throws(ListFault) {
      let reader = ListReader(format: list.format, fields: list.fields)
      let read = try reader.page(page.body, url: base(of: page, askedAt: url))
      let further = try next.isEmpty ? read.further + nextPage(in: read, page, askedAt: url) : read.further
      all[readCount - 1].further = further.allSatisfy(mayStore) ? further : nil
      try gathering.add(read)
      return further + next
    } catch {
      // The last page of a list may have nothing on it.
      guard error.reason == .empty, readCount > 1 else { throw error }
      all[readCount - 1].further = []
      return next
    }
  }

  /// The page that a document itself names. One that names itself is the last, and a local file has no other pages.
  private func nextPage(
    in read: ListPage, _ page: StoredList.Page, askedAt url: String
  ) throws(ListFault) -> [String] {
    guard let own = base(of: page, askedAt: url), let base = URLBase(own) else { return [] }
    // What is missing of a list would pass for gone.
    if let member = read.unasked { throw ListFault(.unaskedPages(member)) }
    guard let reference = read.next else { return [] }
    let next = try base.furtherPage(reference)
    return next.hasSameBytes(as: own) ? [] : [next]
  }

  /// The pages as they may be stored: without what signs URLs; `nil` if it cannot be removed, or if there is a secret.
  mutating func storable() -> StoredList? {
    guard all.allSatisfy({ $0.next.map(mayStore) ?? true }),
      !all.contains(where: { secrets.finds(in: $0.body) })
    else { return nil }
    // As they were stored.
    if areUnread { return StoredList(pages: all) }
    guard let entries = try? entries() else { return nil }
    let unsigned = all.map(Self.unsigned)
    guard unsigned != all else {
      return entries.contains(where: \.showsSignature) ? nil : StoredList(pages: all)
    }
    var other = ListPages(list, secrets)
    for (page, url) in zip(unsigned, asked) {
      guard (try? other.add(page, askedAt: url, isAsStored: false)) != nil else { return nil }
    }
    // Nothing is stored of a text that has signatures in another form, or something that only looks like one.
    guard let stored = try? other.entries(), stored.count == entries.count,
      zip(stored, entries).allSatisfy({ $0.isSame(as: $1) && !$0.showsSignature })
    else { return nil }
    return StoredList(pages: other.all)
  }

  /// The page without what signs the URLs in it; then its validators are not valid for the rest.
  private static func unsigned(_ page: StoredList.Page) -> StoredList.Page {
    let body = SignatureMask.mask(page.body)
    guard body != page.body else { return page }
    var page = page
    page.body = body
    (page.validators.etag, page.validators.lastModified, page.further) = (nil, nil, nil)
    return page
  }

  /// What `fault` makes of the list.
  func cause(_ fault: ListFault) -> FailureCause {
    .listInvalid(source: secrets.mask(list.url.shown), .list(fault))
  }

  private func mayStore(_ url: String) -> Bool {
    secrets.mask(url).hasSameBytes(as: url) && ResourceURL.text(of: url).hasSameBytes(as: url)
  }

  /// The page that the header of `page` names.
  private func next(after page: StoredList.Page) -> [String] { page.next.map { [$0] } ?? [] }

  /// What the relative URLs of a page are resolved against; `nil` for a local file, which only a first page can be.
  private func base(of page: StoredList.Page, askedAt url: String) -> String? {
    if case .file = list.url, readCount == 1 { return nil }
    return Self.final(page.validators, askedAt: url, secrets)
  }

  /// A page's URL after redirects. That of its validators is masked; if it is the one that was asked for, its secrets
  /// are known. What a mirror has is as if it were at the manifest's URL.
  static func final(_ validators: Validators, askedAt url: String, _ secrets: SecretMask) -> String {
    guard let own = validators.url, !own.hasSameBytes(as: secrets.mask(url)), !validators.isOfMirror else {
      return url
    }
    return own
  }
}

extension ListEntry {
  /// Whether what signs a URL can be read in it.
  fileprivate var showsSignature: Bool {
    ([url] + mirrors + others.map(\.value)).contains { SigningParameters.show(in: $0) }
  }

  /// Whether it is the entry `other`, whose signatures were hidden.
  fileprivate func isSame(as other: ListEntry) -> Bool {
    var hidden = other
    hidden.url = SignatureMask.mask(other.url)
    hidden.mirrors = other.mirrors.map { SignatureMask.mask($0) }
    hidden.others = other.others.map { Field(name: $0.name, value: SignatureMask.mask($0.value)) }
    return self == hidden
  }
}
