import SyncModel

/// The next step after a failure, as far as its cause and its target's definition tell.
struct FailureHint {
  var failure: TargetFailure
  var target: Target?
  var secrets: SecretMask

  /// Foreign texts as they are, secrets masked; `nil` where there is nothing to advise.
  var text: String? {
    switch failure.cause {
    case .httpStatus(let status, _): forStatus(status)
    case .retryAfter(let seconds, _, _): "run again in \(Quantity.duration(.seconds(seconds)))"
    case .connectFailed: "check the host name, the network and any proxy" + mirrors
    case .timeout(_, let phase, _): forTimeout(phase == "connect" ? "connect" : "total")
    case .stalled:
      failure.keptPartial > 0 ? resume : "run again, or let `timeout: {stall: …}` allow longer pauses"
    case .tls:
      "certificates are always verified; CURL_CA_BUNDLE, else SSL_CERT_FILE, can name a file with more authorities"
    case .truncated:
      failure.keptPartial > 0 ? resume : "run again; if it stays, the server or a proxy cuts replies short"
    case .lengthUnproven: "`unproven_length: accept` takes such replies, a `verify` step proves them"
    case .protocolError(_, let fault): forFault(fault)
    case .tooLarge: "raise `max_size` if the file may be that large"
    case .digestMismatch(let algorithm, _, let actual, let step): forDigest(algorithm, actual, step)
    case .serverDigestMismatch:
      "the server or a cache before it is at fault: run again later\(mirrors)"
        + (target == nil ? "" : "; `server_digest: ignore` does without such fields")
    case .sizeMismatch(let expected, let actual, _) where actual > expected:
      "if what came is right, write its whole size in the manifest"
    case .sizeMismatch(_, let actual, _): "if what came is right, write `size: \(actual)` in the manifest"
    case .corrupt(let corruption) where corruption.offset <= 20:
      "what came is not \(corruption.format.rawValue), maybe a web page: open the URL, or leave out the "
        + "\(corruption.format.stepName) step"
    case .corrupt: "the file is damaged where it is published; a `verify` step would show it before"
    case .windowTooLarge(let needed, _) where needed > Compression.largestWindow:
      "that is more than zstd allows: look for another form of the file"
    case .windowTooLarge: "`unzstd: {window: 2GiB}` allows it, and uses that much memory"
    case .decoderMissing(let format, _): "install it, then run again: \(DecoderPackages.names(format))"
    case .libraryMissing: "install it, then run again: libexpat1 or libssl3 on Debian and Ubuntu"
    case .sidecarInvalid(_, let fault): SidecarWording.hint(fault)
    case .signatureInvalid(_, let fault, _): SidecarWording.hint(fault)
    case .redirectRefused(_, _, let fault): forFault(fault)
    case .outputModified(let expected, _) where expected.text.isEmpty:
      "move it away if it is to stay: the next run may replace it"
    case .outputModified:
      "--overwrite replaces it, `local_changes: keep` keeps it; or move it away and run again"
    case .outputUnwritable(let path, let fault): forFault(fault, isOutput: path == target?.output.text)
    case .diskFull:
      failure.keptPartial > 0
        ? "free some space and run again to go on from there" : "free some space and run again"
    case .stateDiskFull(_, let largest):
      "free some space on its disk, or name another folder with --state-dir"
        + (largest == nil ? "" : "; that file goes when its target is done, or when you remove it")
    case .tooFewDescriptors:
      "raise the hard limit on open files (ulimit -Hn): 64 are enough for a run with few jobs"
    case .lockMismatch:
      "see what changed at the source before you accept it; until then the lock keeps it out"
    case .editedForLock(let name):
      "move the edited output of \(secrets.mask(name.text)) away and lock again, or let --overwrite replace it"
    case .offline: "run again without --offline, or --frozen, which means it too"
    case .sourceUnreadable(path: ".netrc", _): "mend the file; NETRC names another one"
    case .sourceUnreadable(_, FailureCause.changedMeanwhile): "run again when nobody writes it"
    case .sourceUnreadable(_, FailureCause.isOwnOutput): "give the target another \"output\""
    case .sourceUnreadable:
      "check the path\(target == nil ? "" : ", from the manifest's folder"), and whether you may read what is there"
    case .internalError: "this is a bug in syncmake: please report it, with the output of --verbose"
    }
  }

  /// More advice, after what stands before it, for a target of the manifest.
  private var mirrors: String { target == nil ? "" : "; a list under `url` gives mirrors" }

  private var resume: String { "run again to go on from there" }

  private func forStatus(_ status: Int) -> String? {
    switch status {
    case 401, 403:
      target?.authentication == nil
        ? "if the server wants to know who asks, add `auth` to the target" : "check what `auth` gives"
    case 404, 410: target == nil ? "check the URL" : "check the URL in the manifest" + mirrors
    case 407: "give the proxy's user and password in the proxy's environment variable"
    case 408, 425, 429, 500, 502, 503, 504:
      "the server may recover: run again later" + (target == nil ? "" : ", or raise `retries`")
    case 451: "the server may not serve this file where you are"
    case 400..<500 where target != nil: "check `url` and `headers` in the manifest"
    default: "ask for the URL with curl -v to see what the server says"
    }
  }

  private func forTimeout(_ key: String) -> String {
    let advice = "`timeout: {\(key): …}` allows more time"
    return failure.keptPartial > 0 ? "\(resume); \(advice)" : advice
  }

  private func forFault(_ fault: ProtocolFault) -> String? {
    switch fault {
    case .unequalContentLengths, .headerTooLarge: "the server is at fault" + mirrors
    case .unexpectedStatus: "the server or a cache before it is at fault: run again later"
    case .wrongRange where failure.keptPartial > 0:
      "the server is at fault: it cannot go on with a download" + mirrors
    case .wrongRange: "run again: the download starts over"
    case .contentEncoding:
      "the server ignores `Accept-Encoding: identity`; look for a URL that gives the plain file"
    case .malformed: "check that the URL is that of a web server"
    }
  }

  private func forDigest(_ algorithm: DigestAlgorithm, _ actual: HexDigest, _ step: Int?) -> String {
    switch expectation(step) {
    case .literal?: "if what came is right, write `\(algorithm.rawValue): \(actual)` in the manifest"
    case .sidecar?: "file and sidecar do not match, maybe while they are being replaced: run again later"
    case .entry?: "the file does not match the list of digests: run again later, when both are published"
    case nil: "do not trust what came; run again later"
    }
  }

  /// Where the digest that was missed is written; `nil` where the target is not known.
  private func expectation(_ step: Int?) -> DigestSource? {
    guard let step else {
      guard case .digest(let rule)? = target?.freshness?.innermost else { return nil }
      return rule.expected
    }
    guard let steps = target?.steps, steps.indices.contains(step),
      case .verifyDigest(_, let source) = steps[step]
    else { return nil }
    return source
  }

  private func forFault(_ fault: RedirectFault) -> String {
    switch fault {
    case .downgrade: "if that address can be trusted all the same, write it in the manifest"
    case .circle: "the server sends every request on: open the URL in a browser to see what it wants"
    case .tooMany, .scheme, .location: "open the URL, and write the file's final address in the manifest"
    }
  }

  private func forFault(_ fault: PathFault, isOutput: Bool) -> String {
    let other = isOutput ? ", or choose another `output`" : ""
    return switch fault {
    case .isLink, .parentIsLink: "links are never written through: remove it\(other)"
    case .isFolder, .isDevice, .parentIsNotFolder: "remove it\(other)"
    case .belongsTo:
      isOutput ? "run as that user\(other)" : "run as that user, or name another folder with --state-dir"
    case .lacks(.locks, _):
      "without them two runs could harm each other: name a folder on another file system with --state-dir"
    case .lacks(.permissions, _): "leave out `mode`\(other)"
    case .system(let code, _): SystemHint.text(errno: code, isOutput: isOutput)
    }
  }
}
