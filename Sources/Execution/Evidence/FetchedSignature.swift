import ContentPipeline
import Planning
import SyncModel

/// A minisign signature that was made with the required key.
struct FetchedSignature {
  var signature: MinisignSignature
  var key: MinisignKey
  /// Its name in a failure.
  var source: String

  /// `done` gets the signature for `check`, with its trusted comment checked, and the cost of its requests.
  static func find(
    _ check: MinisignCheck, for target: Target, anew: Bool, step: Int?, in context: RunContext,
    done: @escaping (Result<FetchedSignature, FailureCause>, ExchangeTotals) -> Void
  ) {
    let source = context.manifest.secrets.mask(check.urls.first?.shown ?? "")
    context.texts.sidecars.fetch(check.urls, for: target, anew: anew) { text, totals in
      let found = text.flatMap { text in
        text.signature.flatMap { signature in
          Result { () throws(SignatureFault) in
            try MinisignVerifier.check(signature, by: check.key)
            return FetchedSignature(signature: signature, key: check.key, source: source)
          }
        }.mapError { .signatureInvalid(source: source, $0, step: step) }
      }
      done(found, totals)
    }
  }

  /// Why it is not the signature of `content`; `nil` if it is. `step` is the place in the target's steps.
  func check(_ content: SignedContent, step: Int?) -> FailureCause? {
    do throws(MinisignVerifier.FailureOfCheck) {
      try MinisignVerifier.check(signature, of: content, by: key)
      return nil
    } catch {
      switch error {
      case .signature(let fault): return .signatureInvalid(source: source, fault, step: step)
      case .noBlake2b:
        return .libraryMissing(name: "libcrypto.so.3", purpose: "to check the signature in \(source)")
      }
    }
  }
}
