import SyncModel

/// The next step after a failure, derived from its cause and its target's definition.
struct FailureHint {
  var failure: TargetFailure
  var target: Target?
  var secrets: SecretMask
  var words = HintWords.program

  /// Foreign texts unchanged, secrets masked; `nil` if there is no advice.
  var text: String? {
    switch failure.cause {
    case .httpStatus(let status, let url): forStatus(status, url)
    case .proxyRefused(407, _, _): forStatus(407, nil)
    case .proxyRefused:
      failure.cause.traits.contains(.transient)
        ? "the proxy may recover: run again later"
        : "the proxy's rules may forbid the address; `no_proxy` names hosts that are reached without it"
    case .retryAfter(let seconds, _, _): "run again in \(Quantity.duration(.seconds(seconds)))"
    case .helperFailed(_, _, .missing):
      "`syncmake config` shows which line names it; with --policy, PATH is without the folders of the checkout"
    case .helperFailed: "run the helper by hand; `syncmake config` shows which line names it"
    case .connectFailed: "check the host name, the network and any proxy" + mirrors
    case .timeout(_, let phase, _): forTimeout(phase.rawValue)
    case .stalled:
      failure.keptPartial > 0 ? resume : "run again, or let `timeout: {stall: …}` allow longer pauses"
    case .tls(_, let said) where said.contains(literal: "wrong version number"):
      "the server does not speak TLS at this port: check the scheme and the port of the URL"
    case .tls(_, let said) where said.contains(literal: "subject name"):
      "the certificate is that of another host: check the host name of the URL"
    case .tls(_, let said)
    where said.contains(literal: "trust anchors") || said.contains(literal: "certificate file")
      || said.contains(literal: "CAfile"):
      "the file that CURL_CA_BUNDLE or SSL_CERT_FILE names cannot be used"
    case .tls(_, let said)
    where said.contains(literal: "has expired") || said.contains(literal: "not yet valid"):
      "the certificate is not valid at this time: check this machine's clock, or tell the server's operator"
    case .tls(_, let said)
    where said.contains(literal: "protocol version") || said.contains(literal: "unsupported protocol"):
      "the server speaks only versions of TLS that this machine does not allow: tell its operator"
    case .tls(_, let said) where said.contains(literal: "certificate required"):
      "the server asks for a client's certificate, and syncmake sends none"
    case .tls:
      "syncmake always verifies certificates; CURL_CA_BUNDLE or SSL_CERT_FILE can name a file with other CA certificates"
    case .truncated:
      failure.keptPartial > 0
        ? resume : "run again; if the failure repeats, the server or a proxy truncates replies"
    case .lengthUnproven where isUnlisted:
      "the server must send its length, or send it in chunks: a list that is cut off here looks like a shorter one"
    case .lengthUnproven: "`unproven_length: accept` accepts such replies; a `verify` step checks them"
    case .protocolError(_, let fault): forFault(fault)
    case .tooLarge: "raise `max_size` if the file may be that large"
    case .digestMismatch(let algorithm, _, let actual, let step): forDigest(algorithm, actual, step)
    case .serverDigestMismatch:
      "the server or a cache in front of it is faulty: run again later\(mirrors)"
        + (target == nil ? "" : "; `server_digest: ignore` ignores such fields")
    case .sizeMismatch(let expected, let actual, _) where actual > expected:
      "if the download is right, write its full size in the manifest"
    case .sizeMismatch(_, let actual, _): "if the download is right, write `size: \(actual)` in the manifest"
    case .corrupt(let corruption): forCorruption(corruption)
    case .archive(let fault): ArchiveWording(mask: secrets.mask).hint(fault, strip: strip)
    case .windowTooLarge(let needed, _) where needed > Compression.largestWindow:
      "this is more than zstd allows: look for the file in another format"
    case .windowTooLarge: "`unzstd: {window: 2GiB}` allows it and uses that much memory"
    case .decoderMissing(let format, _): "install it, then run again: \(LibraryPackages.names(format))"
    case .libraryMissing(let name, _):
      "install it, then run again" + (LibraryPackages.names(name).map { ": \($0)" } ?? "")
    case .sidecarInvalid(_, let fault): SidecarWording.hint(fault)
    // What no list could have given, and nothing in the manifest has to do with.
    case .listInvalid(source: LockFile.fileName, .expansion(.badPath)),
      .listInvalid(source: LockFile.fileName, .expansion(.badName)),
      .listInvalid(source: LockFile.fileName, .expansion(.badURL)):
      "\(command("update")) writes the entries anew"
    case .listInvalid(_, let problem): ListWording.hint(problem, command)
    case .valueInvalid(let problem): ValueWording.hint(problem)
    case .signatureInvalid(_, .wrongContent, step: nil):
      "do not trust the document; if the publisher is replacing files now, run again later"
    case .signatureInvalid(_, let fault, _): SidecarWording.hint(fault)
    case .redirectRefused(_, _, let fault): forFault(fault)
    case .hostRefused(_, _, .host): "add the host to `hosts` of the policy if it may be asked"
    case .hostRefused: nil
    case .addressRefused(let url, _, _) where url.hasPrefix("http:"):
      "`addresses` of \(words.policy) can allow it for https only"
    case .addressRefused(_, let address, _):
      "`addresses` of \(words.policy) allows \(address) if it names it"
    case .budgetExceeded(let limit): "`limits` of the policy has \"\(PolicyWording.key(limit))\""
    case .outputModified(nil, _):
      "move it away to keep it: the next run may replace it"
    case .outputModified where target.map({ $0.localChanges != .refuse }) ?? false:
      "it was edited while the run was at work: run again"
    case .filesModified where target.map({ $0.localChanges == .overwrite }) ?? false:
      "they were edited while the run was at work: run again"
    case .filesModified where target.map({ $0.localChanges == .keep }) ?? false:
      "\(words.overwrite) replaces them; or move them away and run again"
    // Of an interrupted publication: no option of the command that completes it replaces edits.
    case .filesModified where target == nil:
      "move them away and run again; `local_changes: keep` keeps them, and `local_changes: overwrite` replaces them"
    case .outputModified:
      "\(words.overwrite) replaces it, `local_changes: keep` keeps it; or move it away and run again"
    case .filesModified:
      "\(words.overwrite) replaces them, `local_changes: keep` keeps them; or move them away and run again"
    case .outputUnwritable(let path, .isFolder) where isInOutput(path):
      "move it away, or \(words.overwrite) replaces it and removes all that is in it"
    // The outputs would be in that folder, too.
    case .outputUnwritable(let path, .belongsTo(_, ofFolder: true)) where path.lastPart == ".syncmake":
      "run as that user, or get the right to write to the folder"
    case .outputUnwritable(let path, let fault): forFault(fault, isOutput: path == target?.path.text)
    case .diskFull, .roomMissing:
      failure.keptPartial > 0
        ? "free some space and run again to resume the download" : "free some space and run again"
    case .stateDiskFull(_, let largest):
      "free some space on that disk, or choose another folder with \(words.stateFolder)"
        + (largest == nil ? "" : "; that file is removed when its target succeeds, or you can remove it")
    case .notBegun(_, let hint): hint
    case .tooFewDescriptors:
      "raise the hard limit on open files (ulimit -Hn): 64 are enough for a run with few jobs"
    case .lockMismatch(_, _, _, _, ofDownload: false) where target != nil && !isMade:
      "the source has the locked bytes: check what changed in the steps before you accept what they make"
    case .lockMismatch:
      "check what changed at the source before you accept it; until then the lock rejects it"
    case .editedForLock(let name):
      "move the edited output of \(secrets.mask(name.text)) away and lock again, or use \(words.overwrite) to replace it"
    case .offline: words.online
    case .needsSeed(let seed, _):
      "run \(command("run --shard \(seed.text)")) before the shards; with --with-shared, each makes its own"
    case .sourceUnreadable(let path, let fault): forSource(path, fault)
    case .internalError: "this is a bug in syncmake: \(words.report)"
    }
  }

  private func command(_ text: String) -> String { secrets.mask(words.place.command(text)) }

  /// An addition to the advice before it, for a target of the manifest with `url`.
  private var mirrors: String {
    if case .urls? = target?.source { "; a list under `url` gives mirrors" } else { "" }
  }

  /// Whether the target's source is another target's output.
  private var isMade: Bool { if case .target? = target?.source { true } else { false } }

  private var resume: String { "run again to resume the download" }

  /// Whether `url` is that of a sidecar or a signature of the target.
  private func isEvidence(_ url: String?) -> Bool {
    guard let target, let url else { return false }
    func isURL(_ known: SourceURL) -> Bool { known.text == url }
    return target.askedURLs.contains(where: isURL) && target.source.mirrors?.contains(where: isURL) != true
  }

  private func forStatus(_ status: Int, _ url: String?) -> String? {
    switch status {
    case 404 where isEvidence(url), 410 where isEvidence(url):
      "check this URL in the steps or the rule of the target"
    case 401 where isListed && target?.authentication == nil,
      403 where isListed && target?.authentication == nil:
      "for a login add `auth`; if the address is locked and has expired, \(command("update")) reads the list for a new one"
    case 401, 403:
      forLogin(url)
    case 404 where hasPattern(url):
      "the URL is asked for as it is: `matrix` makes several targets, `list` follows a folder"
    case 404 where isUnlisted, 410 where isUnlisted:
      "check the URL of the list in the manifest; that of a further page is in the page before it"
    case 404, 410: target == nil ? "check the URL" : "check the URL in the manifest" + mirrors
    case 407: "put the proxy's user and password into the proxy's environment variable"
    case 408, 425, 429, 500, 502, 503, 504:
      "the server may recover: run again later" + (target == nil ? "" : ", or raise `retries`")
    case 451: "the server may be forbidden to serve this file in your country"
    case 400..<500 where target != nil: "check `url` and `headers` in the manifest"
    default: "request the URL with curl -v to see the server's answer"
    }
  }

  private func forLogin(_ url: String?) -> String {
    guard let target, let authentication = target.authentication else {
      return "if the server requires a login, add `auth` to the target"
    }
    guard isUnlisted || url.flatMap({ WebURL($0)?.origin }).map(target.gives) != false else {
      let owner = if case .entry = target.source { "list's" } else { "target's own" }
      return "`auth` is sent only to URLs with the scheme, host and port of the \(owner), so not to this one"
    }
    return authentication == .netrc
      ? "check the host's entry in `~/.netrc`, or in the file that NETRC names"
      : "check the credentials in `auth`"
  }

  /// Whether a URL is one of several in a notation of other programs; its query may have such characters anyway.
  private func hasPattern(_ url: String?) -> Bool {
    guard let path = url?.utf8.prefix(while: { $0 != UInt8(ascii: "?") }), !isUnlisted else { return false }
    return path.contains(UInt8(ascii: "*")) || path.contains(UInt8(ascii: "{"))
  }

  private func forCorruption(_ corruption: Corruption) -> String {
    let (format, step) = (corruption.format.rawValue, corruption.format.stepName)
    guard corruption.offset <= 20 else {
      return "the published file is damaged: look for another copy, or tell its publisher"
    }
    if let number = corruption.step, let before = target?.steps.prefix(number).lastIndex(where: \.transforms)
    {
      return "what step \(before + 1) makes is not \(format): remove step \(number + 1)"
    }
    if case .target? = target?.source { return "what `from` names is not \(format): remove the \(step) step" }
    if let better = stepByName(corruption.format), better != step {
      return "the download is not \(format); its name suggests `\(better)` instead of \(step)"
    }
    return "the download is not \(format), maybe it is a web page: open the URL, or remove the \(step) step"
  }

  /// The step for a file with the name that the target's URL ends in, in place of the only one that transforms; `nil` if
  /// that tells nothing.
  private func stepByName(_ format: Compression) -> String? {
    guard let target, target.steps.count(where: \.transforms) == 1,
      case .web(let url)? = target.source.mirrors?.first, let name = WebURL(url)?.lastPathPart?.lowercased()
    else { return nil }
    if let archive = ArchiveFormat(ofName: name) { return archive.compression == format ? nil : "unpack" }
    return Compression.allCases.first { name.hasSuffix($0.ending) }?.stepName
  }

  private func forTimeout(_ key: String) -> String {
    let advice = "`timeout: {\(key): …}` allows more time"
    return failure.keptPartial > 0 ? "\(resume); \(advice)" : advice
  }

  private func forFault(_ fault: ProtocolFault) -> String? {
    switch fault {
    case .unequalContentLengths, .headerTooLarge: "the server is faulty" + mirrors
    case .unexpectedStatus: "the server or a cache in front of it is faulty: run again later"
    case .wrongRange where failure.keptPartial > 0:
      "the server is faulty: it cannot resume a download" + mirrors
    case .wrongRange: "run again: the download starts over"
    case .contentEncoding:
      "the server ignores `Accept-Encoding: identity`; look for a URL of the unencoded file"
    case .malformed: "check that the URL points to a web server"
    }
  }

  private func forDigest(_ algorithm: DigestAlgorithm, _ actual: HexDigest, _ step: Int?) -> String {
    if case .verifyTree? = self.step(step) {
      return "if the files are right, write `tree: \(actual)` in the manifest"
    }
    if step == nil, target?.output.isFolder == true, let rule = target?.digestRule, rule.of == .output,
      case .literal = rule.expected
    {
      return "if the files are right, write `sha256: \(actual)` in the manifest"
    }
    if let step, case .decompress(let format, _)? = target?.steps.prefix(step).last(where: \.transforms),
      let source = expectation(step)
    {
      if case .literal = source {
        return
          "if the download is right, write `\(algorithm.rawValue): \(actual)` in the manifest, or the published digest "
          + "before \(format.stepName)"
      }
      return
        "digests are mostly those of the download: then write this check before \(format.stepName); or run again later, "
        + "if files are being replaced now"
    }
    return switch expectation(step) {
    case .literal?: "if the download is right, write `\(algorithm.rawValue): \(actual)` in the manifest"
    case .sidecar?:
      "the file and the sidecar do not match; maybe they are being replaced now: run again later"
    case .entry?:
      "the file does not match the list of digests; maybe only one of them is published yet: run again later"
    case nil where isListed:
      "the file does not match its list; maybe only one of them is published yet: run again later"
    case nil: "do not trust the download; run again later"
    }
  }

  /// Whether a path may be a URL without its scheme: its first part has a dot, as the name of a host has.
  private func mayBeURL(_ path: String) -> Bool {
    guard let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) else { return false }
    let first = path[..<slash]
    return first.utf8.contains(UInt8(ascii: ".")) && first.utf8.first != UInt8(ascii: ".")
  }

  private var isListed: Bool {
    if case .entry? = target?.source { true } else { false }
  }

  /// Whether it stands for targets that are not known without their list.
  private var isUnlisted: Bool {
    if case .unlisted? = target?.source { true } else { false }
  }

  private var strip: UnpackRules.Strip {
    for case .unpack(let rules) in target?.steps ?? [] { return rules.strip }
    return .count(0)
  }

  /// The source of the expected digest; `nil` if the target is unknown.
  private func expectation(_ step: Int?) -> DigestSource? {
    guard let step else {
      guard case .digest(let rule)? = target?.freshness?.innermost else { return nil }
      return rule.expected
    }
    guard case .verifyDigest(_, let source)? = self.step(step) else { return nil }
    return source
  }

  /// The target's step `number`; `nil` if it has none.
  private func step(_ number: Int?) -> Step? {
    guard let number, let steps = target?.steps, steps.indices.contains(number) else { return nil }
    return steps[number]
  }

  private func forFault(_ fault: RedirectFault) -> String {
    switch fault {
    case .downgrade: "if you trust that address, write it in the manifest"
    case .circle: "the server redirects every request: open the URL in a browser to see what it expects"
    case .tooMany, .scheme, .location: "open the URL, and write the file's final address in the manifest"
    }
  }

  /// Whether a path is that of something in the folder that the target makes.
  private func isInOutput(_ path: String) -> Bool {
    guard let target, target.output.isFolder else { return false }
    return path.hasPrefix(target.path.text + "/")
  }

  private func forFault(_ fault: PathFault, isOutput: Bool) -> String {
    let other = isOutput ? ", or choose another `output`" : ""
    return switch fault {
    case .isLink, .parentIsLink: "syncmake never writes through links: remove it\(other)"
    case .isFolder, .isFile, .isDevice, .parentIsNotFolder: "remove it\(other)"
    case .isProtected: "move it away yourself\(other)"
    case .belongsTo:
      isOutput
        ? "run as that user\(other)"
        : "run as that user, or choose another folder with \(words.stateFolder)"
    case .lacks(.locks, _):
      "without locks two runs could damage each other's files: choose a folder on another file system with "
        + words.stateFolder
    case .lacks(.permissions, _): "remove `mode`\(other)"
    case .system(let code, _): SystemHint.text(errno: code, isOutput: isOutput)
    case .records, .notExamined, .withheldIsDamaged:
      "check the state folder, or choose another one with --state-dir"
    case .changedMeanwhile: "look at it, and run the command again"
    }
  }

  private func forSource(_ path: String, _ fault: SourceFault) -> String {
    switch fault {
    case .netrcNotUnderstood: "fix ~/.netrc, or set NETRC to another file"
    case .changedMeanwhile: "run again when no program writes to it"
    case .isOwnOutput: "set another \"output\""
    case .hostNotUnderstood: "check the host name"
    case .missing where isMade: "the target in `from` has no output: bring it up to date first"
    case .missing where mayBeURL(path): "\(checkPath); the URL of a file on a server begins with `https://`"
    case .missing, .notRegular, .untrusted, .tooManyNames, .system: checkPath
    }
  }

  private var checkPath: String {
    "check the path\(target == nil ? "" : ", from the manifest's folder"), and its permissions"
  }
}
