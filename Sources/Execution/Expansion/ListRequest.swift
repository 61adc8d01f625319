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
    let resource = ResourceURL.text(of: masked(url))
    let old = earlier?.pages.first { $0.url.hasSameBytes(as: resource) }
    let source = SourceURL(page: url, of: list)
    if context.settings.isOffline, case .web = source {
      guard let old else { return end(.failure(.offline)) }
      return take(old, asked: url)
    }
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
          return take(old, asked: url)
        }
        progress.isChanged = true
        let next = LinkField.next(in: fetch.links, of: final(validators, asked: url))
        take(
          StoredList.Page(url: masked(url), validators: validators, body: text.bytes, next: next), asked: url)
      }
    }
    self.fetch = fetch
    fetch.start()
  }

  /// Reads a whole page, which was asked for at `url`.
  private func take(_ page: StoredList.Page, asked url: String) {
    progress.bytes += Int64(page.body.count)
    progress.pages.append(page)
    do throws(ListFault) {
      let reader = ListReader(format: list.format, fields: list.fields)
      let next = try next(after: page)
      let read = try reader.page(page.body, url: base(of: page, asked: url))
      progress.waiting += read.further + next
      try progress.gathering.add(read)
    } catch {
      // The last page of a list may have nothing on it.
      guard error.reason == .empty, progress.pages.count > 1, let next = try? next(after: page) else {
        return fail(error)
      }
      progress.waiting += next
    }
    askNext()
  }

  /// The page that the header of `page` names; never from https down to http.
  private func next(after page: StoredList.Page) throws(ListFault) -> [String] {
    guard let next = page.next else { return [] }
    guard WebURL.scheme(of: page.validators.url) != "https" || WebURL.scheme(of: next) == "https" else {
      throw ListFault(.badURL(next))
    }
    return [next]
  }

  /// What the relative URLs of a page are resolved against; `nil` for a local file, which only a first page can be.
  private func base(of page: StoredList.Page, asked url: String) -> String? {
    if case .file = list.url, progress.pages.count == 1 { return nil }
    return final(page.validators, asked: url)
  }

  /// A page's URL after redirects. That of its validators is masked; if it is the one that was asked for, its secrets
  /// are known.
  private func final(_ validators: Validators, asked url: String) -> String {
    validators.url.hasSameBytes(as: masked(url)) ? url : validators.url
  }

  private func finish() {
    let entries = progress.gathering.entries
    guard !entries.isEmpty else { return fail(ListFault(.empty)) }
    let mayStore = progress.isChanged && !progress.pages.contains(where: hasSecret)
    end(
      .success(Answer(entries: entries, stored: mayStore ? StoredList(pages: progress.pages) : nil)))
  }

  /// Whether a page cannot be stored; its URLs are masked already.
  private func hasSecret(_ page: StoredList.Page) -> Bool {
    context.manifest.secrets.finds(in: page.body)
      || page.next.map { !masked($0).hasSameBytes(as: $0) } ?? false
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
