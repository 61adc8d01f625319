import ContentPipeline
import LocalFiles
import StateStore
import SyncModel

/// What the lists of a manifest have said; a run that goes on after its snapshot was of no use asks none of them again.
package final class AskedLists {
  /// All that the entries of a list depend on.
  struct Key: Hashable {
    var url: SourceURL
    var headers: [RequestHeader]
    var authentication: Authentication?
    var format: ListFormat
    var fields: ListFields

    init(_ template: ListTemplate) {
      url = template.list.url
      headers = template.settings.headers
      authentication = template.settings.authentication
      format = template.list.format
      fields = template.list.fields
    }

    /// All of it that may be told, with the name of `template` if secrets go into the request: what they are cannot tell
    /// lists apart, and one that took another's validators would take its text, too.
    fileprivate func text(_ secrets: SecretMask, _ template: String) -> String {
      let kind = headers.isEmpty && authentication == nil ? "public" : "private"
      var (text, isTold) = ("\(kind) \(format.rawValue) \(url.shown)", authentication == nil)
      for header in headers {
        let value = secrets.mask(header.value)
        text += "\n\(header.name.lowercased()): \(value)"
        isTold = isTold && value == header.value
      }
      return isTold && url.shown == url.text ? text : "\(text)\n\(template)"
    }
  }

  /// In the order of the templates.
  let keys: [Key]
  /// What was to be reported of the requests, for the run that goes on.
  var events: [RunEvent] = []
  /// What it took to ask.
  var works: [Key: ListWork] = [:]
  private var answers: [Key: Result<ListRequest.Answer, FailureCause>] = [:]
  private var entries: [Key: Result<[ListEntry], FailureCause>] = [:]

  /// The names under which the lists of the manifest are stored.
  private let names: [Key: String]
  /// Where they are stored for the next run; `nil` if this one stores nothing.
  private let store: Workspace?

  /// Lists without an answer, of the templates of `manifest`; `store` is where those of a run are stored, `nil` for a plan.
  init(_ templates: [ListTemplate], of manifest: Manifest, store: Workspace?) {
    keys = templates.map(Key.init)
    names = Self.names(manifest)
    self.store = store
  }

  private static func names(_ manifest: Manifest) -> [Key: String] {
    var names: [Key: String] = [:]
    for template in manifest.templates {
      let key = Key(template)
      guard names[key] == nil else { continue }
      let text = key.text(manifest.secrets, template.list.template)
      names[key] = String(Digester.digest(Array(text.utf8), .sha256).text.prefix(32))
    }
    return names
  }

  /// The name under which a list is stored; `nil` for one of another manifest.
  func name(of key: Key) -> String? { names[key] }

  /// How many different lists have answered.
  var count: Int { answers.count }

  /// The answer to `key`; `nil` as long as there is none.
  subscript(key: Key) -> Result<ListRequest.Answer, FailureCause>? {
    get { answers[key] }
    set { answers[key] = newValue }
  }

  /// Those of a template's list, which are made of its pages once.
  func entries(of template: ListTemplate) -> Result<[ListEntry], FailureCause> {
    let key = Key(template)
    if let known = entries[key] { return known }
    let made: Result<[ListEntry], FailureCause> =
      (answers[key] ?? .failure(.internalError("a list was not asked for"))).flatMap { answer in
        var pages = answer.pages
        do throws(ListFault) { return .success(try pages.entries()) } catch {
          return .failure(pages.cause(error))
        }
      }
    entries[key] = made
    return made
  }

  /// Stores the lists that have changed in this, if the state folder can be written, unless their entries are refused.
  ///
  /// What must not be stored takes what was stored before it along: that would pass for what this run has read.
  func store(_ change: ListRequest.Change, unless isRefused: (Key) -> Bool = { _ in false }) {
    guard let store else { return }
    let new = answers.compactMap { key, answer -> (String, ListPages)? in
      guard case .success(let answer) = answer, answer.change == change, !isRefused(key) else { return nil }
      return name(of: key).map { ($0, answer.pages) }
    }
    guard !new.isEmpty,
      let folder = try? StateFolder(path: store.place.state, mayBeLink: store.place.stateMayBeLink)
    else { return }
    let stored = StoredLists(stateFolder: store.place.state)
    withExtendedLifetime(folder) {
      for (name, var pages) in new {
        if let list = pages.storable() { stored.write(list, as: name) } else { stored.remove(name) }
      }
    }
  }

  /// The sums of all lists, each once, for a snapshot; `nil` if one of them could not be read.
  func sums(_ key: ByteSum.Key) -> [ListSum]? {
    var sums: [ListSum] = []
    var seen: Set<Key> = []
    for list in keys where seen.insert(list).inserted {
      guard case .success(let answer)? = answers[list], let name = name(of: list) else { return nil }
      sums.append(ListSum(name: name, sum: StoredList(pages: answer.pages.all).sum(key)))
    }
    return sums
  }
}
