import SyncModel

/// Gives an unchanged output the time of its source.
enum OutputTime {
  /// `done` gets the file's new signature, on the driver's thread, now or later; nothing is set if `time` is `nil`
  /// or already the file's.
  ///
  /// A file that no longer has `signature` is read again: only if it does not have `digest` was it edited. Its
  /// times also change with another of its names.
  static func set(
    _ time: Timestamp?, of path: RelativePath, ifStill signature: FileSignature, holding digest: HexDigest?,
    in context: RunContext, done: @escaping (Result<FileSignature, FailureCause>) -> Void
  ) {
    guard let time, time != signature.modified else { return done(.success(signature)) }
    let first = attempt(time, path, signature, context)
    guard let digest else { return done(first) }
    guard case .failure(.outputModified) = first, case .file(let now) = context.root.observe(path) else {
      return done(first)
    }
    OutputHasher.hash(.file(path, mode: nil), [.sha256], in: context) { found in
      guard let held = try? found.get().content.sha256, held == digest else { return done(first) }
      done(attempt(time, path, now, context))
    }
  }

  private static func attempt(
    _ time: Timestamp, _ path: RelativePath, _ signature: FileSignature, _ context: RunContext
  ) -> Result<FileSignature, FailureCause> {
    Result { () throws(FailureCause) in
      try context.root.setModified(path, time, ifStill: signature)
    }
  }
}
