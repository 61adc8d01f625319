package import SyncModel

/// Texts about failures: what went wrong, what was kept, and (in `FailureHint`) what to do next.
///
/// Texts are lower case without a full stop and do not name the target: the caller puts its name in front.
package enum FailureText {
  /// What happened, with numbers, on one line for people; secrets masked, safe for a terminal.
  package static func message(_ cause: FailureCause, secrets: SecretMask) -> String {
    CleanText.clean(wording(cause, secrets: secrets))
  }

  /// The same for a target that failed, with where refused bytes are from if the manifest does not tell, and the number
  /// of tries if there were several.
  package static func message(_ failure: TargetFailure, secrets: SecretMask) -> String {
    CleanText.clean(wording(failure, secrets: secrets))
  }

  /// What the failure of `target` kept; `nil` if nothing.
  package static func kept(_ failure: TargetFailure, of target: Target?) -> String? {
    var parts: [String] = []
    if case .outputModified(let expected, _) = failure.cause {
      parts.append(expected == nil ? "that file is unchanged" : "the edited file is unchanged")
    } else if case .filesModified = failure.cause {
      parts.append("the folder is unchanged")
    } else if failure.keptOutput {
      // What is in a folder's place may be a file.
      parts.append(target?.output.isFolder == true ? "the old output is kept" : "the old file is kept")
    } else if failure.isHalfway {
      parts.append("the folder may have both old and new files; the next run completes the change")
    }
    if failure.keptPartial > 0 {
      // The next run may have the whole from another mirror.
      let isOfMirror = target?.source.mirrors.map { $0.count > 1 } ?? false
      parts.append(
        "\(Quantity.size(failure.keptPartial)) of the download are kept; the next run resumes there"
          + (isOfMirror ? " if it asks the same mirror" : ""))
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// The next step, without the word "hint"; `nil` if the message is enough.
  ///
  /// `target` is the failed one, whose definition makes the advice specific; `nil` if it is unknown.
  package static func hint(
    _ failure: TargetFailure, target: Target?, secrets: SecretMask, _ words: HintWords = .program
  ) -> String? {
    FailureHint(failure: failure, target: target, secrets: secrets, words: words).text.map(CleanText.clean)
  }

  /// The same for those who run the program with `manifest`.
  package static func hint(_ failure: TargetFailure, target: Target?, of manifest: Manifest) -> String? {
    hint(failure, target: target, secrets: manifest.secrets, .at(manifest.place))
  }

  /// The message with foreign texts as they are, for JSON; secrets masked.
  static func wording(_ failure: TargetFailure, secrets: SecretMask) -> String {
    let text = wording(failure.cause, secrets: secrets)
    // This one ends with a command, which the number would seem to be about.
    if case .lockMismatch = failure.cause { return text }
    let origin = failure.origin.map { "from \(short(secrets.mask($0)))" }
    let tries = failure.tries > 1 ? "\(failure.tries) tries" : nil
    let notes = [origin, tries].compactMap { $0 }
    return notes.isEmpty ? text : "\(text) (\(notes.joined(separator: ", ")))"
  }

  /// The message with foreign texts as they are, for JSON; secrets masked.
  static func wording(_ cause: FailureCause, secrets: SecretMask) -> String {
    wording(cause, secrets.mask) { short(secrets.mask($0)) }
  }

  /// `shown` is how an address is written.
  private static func wording(
    _ cause: FailureCause, _ mask: @escaping (String) -> String, _ shown: @escaping (String) -> String
  ) -> String {
    switch cause {
    case .httpStatus(let status, let url): return "\(HTTPStatusText.name(status)) from \(shown(url))"
    case .proxyRefused(let status, let proxy, let url): return refusal(status, proxy.map(mask), shown(url))
    case .retryAfter(let seconds, let status, let url): return retryAfter(seconds, status, shown(url))
    case .connectFailed(let url, let text): return "cannot connect to \(shown(url)): \(mask(text))"
    case .helperFailed(let url, let helper, let fault):
      return wording(fault, of: helper, for: shown(url), mask)
    case .timeout(let url, let phase, let after): return timeout(shown(url), phase, Quantity.duration(after))
    case .stalled(let url, let after, let received, let expected):
      return stalled(shown(url), Quantity.duration(after), received, expected)
    case .tls(let url, let text): return "no secure connection to \(shown(url)): \(mask(text))"
    case .truncated(let url, let received, let expected):
      return "the reply from \(shown(url)) broke off after \(progress(received, expected))"
    case .lengthUnproven(let url, let received):
      return "nothing proves that the \(Quantity.size(received)) from \(shown(url)) are the complete file"
    case .protocolError(let url, let fault): return wording(fault, url: shown(url), mask)
    case .tooLarge(let limit, let size): return tooLarge(size, limit)
    case .digestMismatch(let algorithm, let expected, let actual, let step):
      return "wrong \(algorithm.rawValue)\(place(step)): expected \(expected), got \(actual)"
    case .serverDigestMismatch(let url, let told, let actual):
      return "the body from \(shown(url)) does not match its \(told.field.rawValue): expected "
        + "\(told.algorithm.rawValue) \(told.digest), got \(actual)"
    case .sizeMismatch(let expected, let actual, let step): return wrongSize(expected, actual, step)
    case .corrupt(let corruption):
      return "not valid \(corruption.format.rawValue)\(place(corruption.step)) at byte \(corruption.offset): "
        + mask(corruption.text)
    case .archive(let fault): return ArchiveWording(mask: mask).text(fault)
    case .windowTooLarge(let needed, let limit):
      return "the download needs a window of \(window(needed)), but only \(window(limit)) are allowed"
    case .decoderMissing(let format, let name):
      return "\(format.stepName) needs the library \(mask(name)), which cannot be loaded"
    case .libraryMissing(let name, let purpose):
      return "the library \(mask(name)) is needed \(mask(purpose)) and cannot be loaded"
    case .sidecarInvalid(let source, let fault):
      return "no digest in \(mask(source)): \(SidecarWording(mask: mask).text(fault))"
    case .listInvalid(let source, let problem): return ListWording(mask: mask).message(problem, of: source)
    case .valueInvalid(let problem): return ValueWording(mask: mask).text(problem)
    case .signatureInvalid(let source, let fault, let step): return signature(fault, source, step, mask)
    case .redirectRefused(let from, let to, let fault):
      return wording(fault, from: shown(from), to: shown(to))
    case .hostRefused, .addressRefused, .budgetExceeded: return PolicyWording(mask: shown).text(cause)
    case .outputModified(let expected, let actual): return modified(expected, actual)
    case .filesModified(let paths, let count): return modified(paths.map(mask), count)
    case .outputUnwritable(let path, let fault): return "cannot write \(mask(path)): \(wording(fault, mask))"
    case .diskFull(let path): return "no space is left to write \(mask(path))"
    case .roomMissing(let path, let needed, let free): return roomMissing(mask(path), needed, free)
    case .stateDiskFull(let folder, let largest):
      // Not its size: less of it may be proven, and that is what is said to be kept.
      let kept = largest.map { ", where \(mask($0)) keeps the beginning of a download" }
      return "no space is left in the state folder \(mask(folder))\(kept ?? "")"
    case .notBegun(let text, _): return mask(text)
    case .tooFewDescriptors: return "the limit on open files is too low for a run"
    case .lockMismatch(let name, let place, let locked, let actual, let ofDownload):
      return mismatch(
        locked, actual, ofDownload: ofDownload, update: mask(place.command("update \(name)")))
    case .editedForLock(let name): return edited(mask(name.text))
    case .offline: return "this needs a request, but --offline is set"
    case .needsSeed(_, let why): return "the shards share this, and it is out of date (\(why.rawValue))"
    case .sourceUnreadable(let path, let fault): return "cannot read \(mask(path)): \(mask(fault.text))"
    case .internalError(let text): return "internal error: \(mask(text))"
    }
  }

  private static func signature(
    _ fault: SignatureFault, _ source: String, _ step: Int?, _ mask: @escaping (String) -> String
  ) -> String {
    SidecarWording(mask: mask).text(fault, of: source, isOfBody: step != nil)
      + (fault == .wrongContent ? place(step) : "")
  }

  /// A longer body is not read to its end.
  private static func wrongSize(_ expected: Int64, _ actual: Int64, _ step: Int) -> String {
    let got = actual > expected ? "more" : "\(actual)"
    return "wrong size\(place(step)): expected \(Quantity.count(Int(expected), "byte")), got \(got)"
  }

  private static func edited(_ name: String) -> String {
    "the lock cannot record what the source has: \(name) was edited locally, and the edit is kept"
  }

  private static func mismatch(
    _ locked: HexDigest, _ actual: HexDigest, ofDownload: Bool, update: String
  ) -> String {
    let what = "\(LockFile.fileName) has the \(ofDownload ? "download" : "output") with sha256 \(locked)"
    return "\(what), the new one has \(actual); \(update) accepts it"
  }

  private static func wording(
    _ fault: HelperFault, of helper: String, for url: String, _ mask: (String) -> String
  ) -> String {
    "no credentials for \(mask(url)): \(wording(fault, of: "the helper \(mask(helper))", mask))"
  }

  /// What is wrong with a program that gives credentials.
  static func wording(_ fault: HelperFault, of helper: String, _ mask: (String) -> String) -> String {
    func said(_ text: String) -> String { text.isEmpty ? "" : ": " + mask(text) }
    switch fault {
    case .missing: return "\(helper) was not found in PATH"
    case .unstartable(let text): return "\(helper) cannot be started: \(mask(text))"
    case .late(let time, let text):
      return "\(helper) had not answered after \(Quantity.duration(time))" + said(text)
    case .failed(let status?, let text): return "\(helper) exited with \(status)" + said(text)
    case .failed(nil, let text): return "\(helper) was ended by a signal" + said(text)
    case .invalid(let text): return "the answer of \(helper) cannot be used: \(mask(text))"
    case .stopped: return "\(helper) was stopped"
    }
  }

  private static func tooLarge(_ size: Int64, _ limit: Int64) -> String {
    let (size, limit) = Quantity.sizes(size, limit)
    return "\(size) exceed the limit of \(limit) (max_size)"
  }

  private static func roomMissing(_ path: String, _ needed: Int64, _ free: Int64) -> String {
    let (needs, has) = Quantity.sizes(needed, free)
    return "\(path) needs \(needs) or more, and its disk has \(has) free"
  }

  private static func refusal(_ status: Int, _ proxy: String?, _ url: String) -> String {
    "the proxy\(proxy.map { " \($0)" } ?? "") did not connect to \(url): \(HTTPStatusText.name(status))"
  }

  private static func retryAfter(_ seconds: Int64, _ status: Int, _ url: String) -> String {
    "\(HTTPStatusText.name(status)) from \(url); it asks to wait \(Quantity.duration(.seconds(seconds))), "
      + "which is more than 60 s"
  }

  private static func stalled(
    _ url: String, _ pause: String, _ received: Int64, _ expected: Int64?
  ) -> String {
    received > 0
      ? "no more data came from \(url) for \(pause), after \(progress(received, expected))"
      : "no data came from \(url) for \(pause)"
  }

  /// `paths` are the first of `count` edited files.
  private static func modified(_ paths: [String], _ count: Int) -> String {
    "files in the folder were edited locally: \(paths.row(of: count))"
  }

  private static func modified(_ expected: HexDigest?, _ actual: HexDigest?) -> String {
    guard let expected else { return "another program wrote to the output's path during the run" }
    let now = actual.map { "was \(expected), now \($0)" } ?? "is no longer \(expected)"
    return "the output was edited locally: its sha256 \(now)"
  }

  private static func timeout(_ url: String, _ phase: TimeoutPhase, _ after: String) -> String {
    switch phase {
    case .connect: "no connection to \(url) within \(after)"
    case .total: "the reply from \(url) took more than \(after)"
    }
  }

  private static func progress(_ received: Int64, _ expected: Int64?) -> String {
    guard let expected else { return Quantity.size(received) }
    let (part, whole) = Quantity.sizes(received, expected)
    return "\(part) of \(whole)"
  }

  /// zstd's own numbers are powers of two.
  private static func window(_ size: Int64) -> String {
    size % (1 << 20) == 0 ? "\(size >> 20) MiB" : "\((size >> 10) + (size % 1024 == 0 ? 0 : 1)) KiB"
  }

  /// Steps are counted from 1 for people.
  private static func place(_ step: Int?) -> String { step.map { " at step \($0 + 1)" } ?? "" }

  private static func wording(_ fault: ProtocolFault, url: String, _ mask: (String) -> String) -> String {
    switch fault {
    case .unequalContentLengths: "the reply from \(url) has two different lengths"
    case .headerTooLarge(let limit):
      "the header of the reply from \(url) is larger than \(Quantity.size(Int64(limit)))"
    case .unexpectedStatus(let status): "\(HTTPStatusText.name(status)) from \(url), which was not requested"
    case .wrongRange(let text): "the reply from \(url) does not continue the partial download: \(mask(text))"
    case .contentEncoding(let name):
      "the reply from \(url) is encoded as \(mask(name)), which was not requested"
    case .malformed(let text): "the reply from \(url) is not valid: \(mask(text))"
    }
  }

  /// A text that a server may have chosen, cut if it is long; secrets are masked already, since a cut secret is not found.
  private static func short(_ text: String) -> String {
    let longest = 500
    return text.unicodeScalars.count > longest ? String(text.unicodeScalars.prefix(longest)) + "…" : text
  }

  private static func wording(_ fault: RedirectFault, from: String, to: String) -> String {
    switch fault {
    case .tooMany: "more than 10 redirects, the last from \(from) to \(to)"
    case .circle: "more than 10 redirects in a loop: the last is from \(from) to \(to)"
    case .downgrade: "refused the redirect from \(from) to \(to): it goes from https to http"
    case .scheme: "refused the redirect from \(from) to \(to): it is neither http nor https"
    case .location where to.isEmpty: "the redirect from \(from) has no target address"
    case .location: "the redirect from \(from) leads to \(to), which is not a URL"
    }
  }

  private static func wording(_ fault: PathFault, _ mask: (String) -> String) -> String {
    switch fault {
    case .isLink: "it is a symbolic link"
    case .isFolder: "it is a folder"
    case .isFile: "it is a file, and the output is a folder"
    case .isDevice: "it is not a regular file"
    case .isProtected: "it is in the way, and is protected"
    case .parentIsLink(let parent): "\(mask(parent)) is a symbolic link"
    case .parentIsNotFolder(let parent): "\(mask(parent)) is not a folder"
    case .belongsTo(let user, ofFolder: false): "it belongs to \(mask(user))"
    case .belongsTo(let user, ofFolder: true): "it does not exist, and its folder belongs to \(mask(user))"
    case .lacks(.locks, let text): "the file system has no locks (\(mask(text)))"
    case .lacks(.permissions, let text): "the file system stores no permissions (\(mask(text)))"
    case .system(let errno, let text): "\(mask(text)) (error \(errno))"
    case .records(let text): mask(text)
    case .notExamined: "the folder could not be examined"
    case .withheldIsDamaged: "what was withheld for it in the state folder is damaged"
    case .changedMeanwhile: "another program has changed it meanwhile"
    }
  }
}
