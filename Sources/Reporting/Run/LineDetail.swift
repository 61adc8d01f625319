import SyncModel

/// The end of a finished target's line: what changed, or why nothing did.
enum LineDetail {
  /// Safe for a terminal; empty if the word at the line's beginning is enough.
  ///
  /// - showsCode: adds the code of the reason or the failure, and the full reason.
  static func text(_ result: TargetResult, showsCode: Bool, secrets: SecretMask) -> String {
    if let failure = result.failure { return text(failure, result, showsCode, secrets) }
    let origin = result.from?.isCache == true ? "from the cache" : nil
    if result.outcome == .skipped || showsCode {
      let detail = ResultWording.detail(result, secrets: secrets)
      let code = showsCode && result.outcome != .skipped ? result.reason?.code.rawValue : nil
      let why = CleanText.clean([code, detail].compactMap(\.self).joined(separator: ": "))
      return [why, origin].compactMap(\.self).joined(separator: "; ")
    }
    if ResultWord(result) == .kept {
      return "edited here; "
        + (result.reason == .fresh(.listGoneEdited) ? "the list no longer has it" : "local_changes: keep")
    }
    let change = ChangeText.text(result.reason, secrets: secrets)
    return [change, origin].compactMap(\.self).joined(separator: "; ")
  }

  private static func text(
    _ failure: TargetFailure, _ result: TargetResult, _ showsCode: Bool, _ secrets: SecretMask
  ) -> String {
    let start = (result.isOptional ? "optional: " : "") + (showsCode ? "\(failure.code.rawValue): " : "")
    // The error has the digests.
    if case .outputModified(_?, _) = failure.cause, !showsCode {
      return start + "the output was edited locally"
    }
    return start + FailureText.message(failure.cause, secrets: secrets)
  }
}
