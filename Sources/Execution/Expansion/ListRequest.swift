import Lists
import Planning
import StateStore
import SyncModel

/// Reads one list, page by page, conditionally where an earlier run has read it (contract, section 11).
final class ListRequest {
  /// What was read.
  struct Answer {
    /// Those of all pages, each identity once.
    var entries: [ListEntry]
    /// What the next run asks with; `nil` if that is as it was, or must not be stored.
    var stored: StoredList?
  }

  typealias Done = (ListRequest, Result<Answer, FailureCause>) -> Void

  /// What the pages so far have given.
  private struct Progress {
    /// The pages to ask for, in the list's order.
    var waiting: [String]
    var asked: Set<ByteString> = []
    var gathering = ListGathering()
    var pages: [StoredList.Page] = []
    /// Of all pages.
    var bytes: Int64 = 0
    /// Whether a page is not as it was stored.
    var isChanged = false
  }

  private let list: ListDeclaration
  private let asker: Target
  private let earlier: StoredList?
  private unowned let context: RunContext
  private let done: Done
  private var fetch: DocumentFetch?
  private var progress: Progress

  /// - Parameters:
  ///   - asker: a target with the list's URL, and the template's headers, credentials and limits.
  ///   - earlier: what is stored of it; `nil` if nothing is.
  init(
    _ list: ListDeclaration, asker: Target, earlier: StoredList?, in context: RunContext, done: @escaping Done
  ) {
    self.list = list
    self.asker = asker
    self.earlier = earlier
    self.context = context
    self.done = done
    progress = Progress(waiting: [list.url.text])
  }

  func start() { askNext() }

  func cancel() { fetch?.cancel() }

  private func askNext() {
    guard !progress.waiting.isEmpty else { return finish() }
    let url = progress.waiting.removeFirst()
    guard progress.asked.insert(ByteString(url)).inserted else {
      return fail(ListFault(.repeatedPage(masked(url))))
    }
    guard progress.asked.count <= ListLimits.pages else { return fail(ListFault(.tooManyPages)) }
    let old = earlier?.pages.first { $0.url.hasSameBytes(as: ResourceURL.text(of: url)) }
    if context.settings.isOffline {
      guard let old else { return end(.failure(.offline)) }
      return take(old)
    }
    let source = SourceURL(page: url, of: list)
    var asker = asker
    if list.format == .index, !asker.headers.contains(where: { $0.name.lowercased() == "accept" }) {
      // nginx and Caddy then answer with exact sizes and times.
      asker.headers.append(RequestHeader(name: "Accept", value: "application/json, text/html;q=0.9"))
    }
    let order = DocumentFetch.Order(
      urls: [source], asker: asker.asking(for: source),
      recorded: old.map { DocumentFetch.Text(bytes: $0.body, validators: $0.validators) },
      limit: Int(ListLimits.bytes - progress.bytes), tooLarge: cause(ListFault(.tooLarge)))
    let fetch = DocumentFetch(order, in: context) { [unowned self] fetch, text in
      switch text {
      case .failure(let cause): end(.failure(cause))
      case .success(let text):
        guard let validators = text.validators else {
          // Confirmed, so that it was asked with what is stored.
          guard let old else { return end(.failure(.internalError("an unknown page was confirmed"))) }
          return take(old)
        }
        progress.isChanged = true
        let next = LinkField.next(in: fetch.links, of: validators.url)
        take(StoredList.Page(url: url, validators: validators, body: text.bytes, next: next))
      }
    }
    self.fetch = fetch
    fetch.start()
  }

  /// Reads a whole page.
  private func take(_ page: StoredList.Page) {
    progress.bytes += Int64(page.body.count)
    progress.pages.append(page)
    do throws(ListFault) {
      let reader = ListReader(format: list.format, fields: list.fields)
      let read = try reader.page(page.body, url: page.validators.url)
      progress.waiting += read.further + (page.next.map { [$0] } ?? [])
      try progress.gathering.add(read)
    } catch {
      // The last page of a list may have nothing on it.
      guard error.reason == .empty, progress.pages.count > 1 else { return fail(error) }
      progress.waiting += page.next.map { [$0] } ?? []
    }
    askNext()
  }

  private func finish() {
    let entries = progress.gathering.entries
    guard !entries.isEmpty else { return fail(ListFault(.empty)) }
    let mayStore =
      progress.isChanged && !progress.pages.contains { context.manifest.secrets.finds(in: $0.body) }
    end(
      .success(Answer(entries: entries, stored: mayStore ? StoredList(pages: progress.pages) : nil)))
  }

  private func fail(_ fault: ListFault) { end(.failure(cause(fault))) }

  private func cause(_ fault: ListFault) -> FailureCause {
    .listInvalid(source: masked(list.url.shown), .list(fault))
  }

  private func masked(_ url: String) -> String { context.manifest.secrets.mask(url) }

  private func end(_ result: Result<Answer, FailureCause>) {
    fetch = nil
    done(self, result)
  }
}

extension SourceURL {
  /// The address of one page of `list`; only its first page may be a file.
  fileprivate init(page url: String, of list: ListDeclaration) {
    self = url.hasSameBytes(as: list.url.text) ? list.url : .web(url)
  }
}
