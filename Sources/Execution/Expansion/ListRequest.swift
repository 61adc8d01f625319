import Planning
import StateStore
import SyncModel

/// Reads one list, page by page, conditionally where an earlier run has read it (contract, section 11).
final class ListRequest {
  /// What came, from the first page to the last.
  struct Answer {
    var pages: ListPages
    var change: Change
  }

  /// In what the pages are not as they are stored.
  enum Change: Comparable {
    case nothing, validators, text
  }

  typealias Done = (ListRequest, Result<Answer, FailureCause>) -> Void

  /// What the pages so far have given.
  private struct Progress {
    /// The pages to ask for, in the list's order.
    var waiting: [String]
    var asked: Set<ByteString> = []
    var pages: ListPages
    /// Whether one of them was only confirmed, so that the pages after it are those that it has named before.
    var isConfirmed = false
    /// Of all pages.
    var bytes: Int64 = 0
    var change = Change.nothing
  }

  private let list: ListDeclaration
  private let asker: Target
  private let earlier: StoredList?
  private unowned let context: RunContext
  private let done: Done
  private var fetch: DocumentFetch?
  private var progress: Progress
  /// Whether all pages are asked for once more, without conditions.
  private var isAnew = false
  private var began = Duration.zero
  /// All of it once it has ended.
  private(set) var work = ListWork()

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
    progress = Progress(waiting: [list.url.text], pages: ListPages(list, context.manifest.secrets))
  }

  func start() {
    began = context.clock.monotonic()
    askNext()
  }

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
    if case .web = source, context.settings.questions.isOffline || context.settings.questions.takesStoredLists
    {
      if let old { return take(old, askedAt: url, isAsStored: true) }
      if context.settings.questions.isOffline { return end(.failure(.offline)) }
    }
    var asker = asker
    if list.format == .index, !asker.headers.contains(where: { $0.name.lowercased() == "accept" }) {
      // nginx and Caddy then answer with exact sizes and times.
      asker.headers.append(RequestHeader(name: "Accept", value: "application/json, text/html;q=0.9"))
    }
    var order = DocumentFetch.Order(
      urls: [source], asker: asker.asking(for: source),
      recorded: isAnew ? nil : old.map { DocumentFetch.Text(bytes: $0.body, validators: $0.validators) },
      limit: Int(ListLimits.bytes - progress.bytes), tooLarge: progress.pages.cause(ListFault(.tooLarge)))
    // What is missing of a list would pass for gone. `unproven_length` is about the entries' own files.
    order.acceptsUnprovenLength = list.format.provesItsEnd
    let fetch = DocumentFetch(order, in: context) { [unowned self] fetch, text in
      note(fetch)
      switch text {
      case .failure(let cause) where cause.traits.contains(.absent) && progress.isConfirmed: askAnew()
      case .failure(let cause): end(.failure(cause))
      case .success(let text): received(text, fetch.links, askedAt: url, old)
      }
    }
    self.fetch = fetch
    fetch.start()
  }

  /// Begins again, since what is stored does not fit to what the server has. Without conditions, no page is only confirmed.
  private func askAnew() {
    isAnew = true
    progress = Progress(waiting: [list.url.text], pages: ListPages(list, context.manifest.secrets))
    askNext()
  }

  /// Notes what a fetch that has ended took.
  private func note(_ fetch: DocumentFetch) {
    work.totals += fetch.totals
    work.tries = fetch.tries
    work.httpStatus = fetch.lastReply.status
    work.url = fetch.lastReply.url
  }

  /// Takes the reply about the page that was asked for at `url`, of which `old` is stored.
  private func received(
    _ text: DocumentFetch.Text, _ links: [String]?, askedAt url: String, _ old: StoredList.Page?
  ) {
    do throws(ListFault) {
      guard var page = pageNow(text, askedAt: url, old) else {
        return end(.failure(.internalError("an unknown page was confirmed")))
      }
      if let links {
        let next = try LinkField.next(
          in: links, of: ListPages.final(page.validators, askedAt: url, context.manifest.secrets))
        // Some servers add links to a 304, and leave out those of the reply that it confirms.
        if next != nil || text.validators != nil {
          page.next = next
        } else if page.next != nil, try LinkField.isOfPages(links) {
          return askAnew()
        }
      }
      if text.validators == nil { progress.isConfirmed = true }
      let isAsStored = old.map(page.saysTheSame) ?? false
      if isAsStored { page.further = old?.further }
      if page != old { progress.change = max(progress.change, isAsStored ? .validators : .text) }
      take(page, askedAt: url, isAsStored: isAsStored)
    } catch {
      fail(error)
    }
  }

  /// The page that came, or `old` if that was confirmed.
  private func pageNow(
    _ text: DocumentFetch.Text, askedAt url: String, _ old: StoredList.Page?
  ) -> StoredList.Page? {
    guard var known = text.validators else { return old }
    // A local list is always read anew: what its file looked like says nothing.
    known.fileStamp = nil
    return StoredList.Page(url: masked(url), validators: known, body: text.bytes)
  }

  /// Takes a whole page, which was asked for at `url`, and goes on with those that it names.
  private func take(_ page: StoredList.Page, askedAt url: String, isAsStored: Bool) {
    progress.bytes += Int64(page.body.count)
    do throws(ListFault) {
      progress.waiting += try progress.pages.add(page, askedAt: url, isAsStored: isAsStored)
    } catch {
      return fail(error)
    }
    askNext()
  }

  private func finish() {
    do throws(ListFault) {
      // A list that is as it was stored had entries then.
      if !progress.pages.areUnread { _ = try progress.pages.entries() }
    } catch {
      return fail(error)
    }
    end(.success(Answer(pages: progress.pages, change: progress.change)))
  }

  private func fail(_ fault: ListFault) { end(.failure(progress.pages.cause(fault))) }

  private func masked(_ url: String) -> String { context.manifest.secrets.mask(url) }

  private func end(_ result: Result<Answer, FailureCause>) {
    fetch = nil
    work.duration = context.clock.monotonic() - began
    done(self, result)
  }
}

extension SourceURL {
  /// The address of one page of `list`; only its first page may be a file.
  fileprivate init(page url: String, of list: ListDeclaration) {
    self = url.hasSameBytes(as: list.url.text) ? list.url : .web(url)
  }
}
