package import SyncModel

/// The text of a run's warnings.
package enum WarningText {
  /// One line for people, with the target's name if it has one; secrets masked, safe for a terminal.
  package static func message(_ warning: RunWarning, manifest: Manifest) -> String {
    let secrets = manifest.secrets
    switch warning {
    case .noValidator(let id, let url):
      let rule = manifest[id].freshness.map { " \(word($0.innermost))" } ?? ""
      return secrets.shown(manifest[id].name)
        + ": \(secrets.shown(url)) sends no ETag and no Last-Modified, so the rule\(rule) always finds it stale"
    case .webPage(let id, let url):
      return secrets.shown(manifest[id].name)
        + ": \(secrets.shown(url)) sends a web page (text/html), which is stored as \(secrets.shown(manifest[id].path.text))"
    case .stateSetAside(let path, let why):
      return "cannot use the state (\(secrets.shown(why))): it was moved to \(secrets.shown(path))"
    case .stateUnreadable(let why):
      return "cannot read the state (\(secrets.shown(why))): all targets are treated as unrecorded"
    case .stateUnwritable(let path, let why):
      return
        "cannot write \(secrets.shown(path)) (\(secrets.shown(why))): this run is not recorded, or only in part"
    case .reportUnwritable(let path, let why):
      return "cannot write \(secrets.shown(path)) (\(secrets.shown(why))): the report is incomplete"
    case .cacheUnusable(let path, let fault):
      return
        "cannot use the cache \(secrets.shown(path)), or only in part "
        + "(\(secrets.shown(why(fault)))): the run goes on without it"
    case .cacheEntryBad(let path):
      return "\(secrets.shown(path)) has other bytes than its name says: it is not used"
    case .remoteCacheUnusable(let url, let fault):
      return "cannot use the cache \(secrets.shown(url)), or only in part "
        + "(\(why(fault, secrets))): the run goes on without it"
    case .lock(let diagnostic): return secrets.shown(diagnostic.message)
    }
  }

  /// The section of docs/errors.md.
  package static func code(_ warning: RunWarning) -> String {
    switch warning {
    case .noValidator: "no-validator"
    case .webPage: "web-page"
    case .stateSetAside: "state-set-aside"
    case .stateUnreadable: "state-unreadable"
    case .stateUnwritable: "state-unwritable"
    case .cacheUnusable: "cache-unusable"
    case .remoteCacheUnusable: "remote-cache-unusable"
    case .cacheEntryBad: "cache-entry-bad"
    case .reportUnwritable: "report-unwritable"
    case .lock: "lock-warning"
    }
  }

  /// The next step; `nil` if there is none.
  package static func hint(_ warning: RunWarning, _ words: HintWords = .program) -> String? {
    switch warning {
    case .noValidator:
      "rules that work without them: {interval: 1d, then: always}, {sha256: {url: …}}, once, always"
    case .webPage(_, let url): pageHint(url)
    case .stateSetAside, .reportUnwritable: nil
    case .lock(let diagnostic): diagnostic.hint
    case .cacheUnusable(_, .ofStranger): "choose a folder outside of the checkout"
    case .cacheUnusable(_, .noHome): HomePath.hint
    case .cacheUnusable:
      "check its owner, its permissions and the free space; \(words.noCache) does without it"
    case .remoteCacheUnusable(_, .failed(.helperFailed)):
      "check the helper under \"credentials\"; \(words.noRemoteCache) does without the cache"
    case .remoteCacheUnusable(_, .noKey(let fault)): StoreText.hint(fault, words)
    case .remoteCacheUnusable(_, .refused(_, let code)): StoreText.hint(code: code, words)
    case .remoteCacheUnusable(let url, .status(let status)): hint(status, of: url, isPut: false, words)
    case .remoteCacheUnusable(let url, .notStored(let status)): hint(status, of: url, isPut: true, words)
    case .remoteCacheUnusable(_, .unfinished): "\(words.longerUploads) would wait longer for uploads"
    case .remoteCacheUnusable(_, .spool):
      "bodies wait in the state folder: check the free space there, or choose another folder with \(words.stateFolder)"
    case .remoteCacheUnusable: serverHint(words)
    case .cacheEntryBad: "`syncmake cache verify` checks the whole cache"
    case .stateUnreadable:
      "a run that may write there makes a new one; \(words.stateFolder) chooses another folder"
    case .stateUnwritable:
      "check its path, its permissions and the free space, or choose another folder with \(words.stateFolder)"
    }
  }

  /// After an answer with this status of the cache at `url`.
  private static func hint(_ status: Int, of url: String, isPut: Bool, _ words: HintWords) -> String {
    let isBucket = S3Location.isMeant(by: url)
    return switch status {
    case 401 where isBucket, 403 where isBucket:
      "check the credentials in the AWS_… variables or the profile; if it may only be read, write `mode: read`"
    case 401, 403, 405:
      "\"credentials\" in the configuration names a helper for a login; if it may only be read, write `mode: read`"
    case 404 where isPut && !isBucket, 409 where isPut && !isBucket:
      "make the folders `cas` and `ac` there: many servers of WebDAV make none; \(words.noRemoteCache) does without it"
    default: serverHint(words)
    }
  }

  private static func serverHint(_ words: HintWords) -> String {
    "check the server; \(words.noRemoteCache) does without it"
  }

  private static func pageHint(_ url: String) -> String {
    if url.holds("/-/blob/") || url.holds("github.com/"), url.holds("/blob/") {
      return "`/raw/` in place of `/blob/` in the URL is the file itself"
    }
    if url.hasSuffix("dl=0") { return "`dl=1` in place of `dl=0` in the URL is the file itself" }
    return
      "look at the output: for a login page add `auth`; for a page about the file, write the URL of the file itself; "
      + "`verify` refuses other bytes"
  }

  /// Why a cache is not used, for people.
  package static func why(_ fault: CacheFault) -> String {
    switch fault {
    case .missing: "there is none"
    case .noHome: HomePath.problem
    case .belongs(let owner): "it belongs to \(owner)"
    case .ofStranger: "it is in the checkout, which is not trusted"
    case .system(let text): text
    }
  }

  /// What is wrong with a cache on a server, for people.
  private static func why(_ fault: RemoteCacheFault, _ secrets: SecretMask) -> String {
    switch fault {
    case .failed(let cause): FailureText.message(cause, secrets: secrets)
    case .status(let status): "it answered with status \(status)"
    case .notStored(let status): "it answered a PUT with status \(status)"
    case .refused(let status, let code): "it answered with status \(status), \(secrets.shown(code))"
    case .noKey(let fault): StoreText.why(fault, secrets)
    case .page: "it answered with a web page"
    case .form: "its answer has no length, or is encoded"
    case .otherBytes: "it gave other bytes than were asked for"
    case .slow: "it is too slow"
    case .unfinished(let count): "\(Quantity.count(count, "upload")) took too long"
    case .spool(let fault): "bodies cannot wait for their upload: \(why(fault))"
    }
  }

  /// A rule's word in the manifest.
  static func word(_ rule: FreshnessRule) -> String {
    switch rule {
    case .etag: "etag"
    case .mtime: "mtime"
    case .digest(let rule): rule.algorithm.rawValue
    case .interval(let period, let then): "interval \(Quantity.duration(period)), then \(word(then))"
    case .once: "once"
    case .always: "always"
    }
  }
}
