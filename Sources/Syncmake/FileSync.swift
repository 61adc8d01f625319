import Execution
import Planning
import SyncModel

/// One file that is kept up to date without a manifest.
///
/// ```swift
/// var file = FileSync("https://example.org/cities.sqlite.gz", to: "cities.sqlite", in: folder)
/// file.rule = .digest(Digest(.md5, at: "https://example.org/cities.sqlite.gz.md5"))
/// file.steps = [.gunzip]
/// if try await file.run().isChanged { reload() }
/// ```
///
/// At every moment the file is absent, the old one, or the new one, complete and verified. Values are checked when they
/// are used. Texts are taken as they are: `$` is a dollar sign.
public struct FileSync: Sendable {
  /// The file's URL, and mirrors that are tried in this order.
  public var urls: [String]
  /// The file, relative to ``root`` and inside it; with a slash at its end a folder, for ``Step/unpack``.
  public var destination: String
  /// The folder below which everything is written.
  public var root: String
  /// The folder of what is remembered between runs, such as ETags and partial downloads; `nil` is `.syncmake` in the
  /// root. Files in one root share it.
  public var state: String?
  /// How to tell that the file is stale.
  public var rule = Rule.etag
  /// What is done with the bytes, in this order.
  public var steps: [Step] = []
  /// Headers of the requests, in this order.
  public var headers = Headers()
  /// What identifies the caller to the server.
  public var credentials: Credentials?
  /// In bytes: anything larger is refused, downloaded or unpacked.
  public var maximumSize: Int64?
  /// What to do with a file that was edited locally.
  public var localChanges = LocalChanges.refuse

  /// A file with the default rule, of one URL or several mirrors.
  public init(_ urls: String..., to destination: String, in root: String, state: String? = nil) {
    self.urls = urls
    self.destination = destination
    self.root = root
    self.state = state
  }

  /// Says whether the file would be fetched; asks the same questions as a run, and writes nothing.
  ///
  /// `environment` is where proxies and certificates come from.
  public func plan(
    options: RunOptions = RunOptions(), environment: [String: String] = [:]
  ) async throws(SyncError) -> PlannedTarget {
    let stop = StopSignal()
    let planned = try await RunThread.perform(stop: stop) {
      FileRuns.made([self], options, environment).flatMap { $0.plan(stop) }
    }.get()
    if let error = planned[0].error { throw error }
    return planned[0]
  }

  /// Brings the file up to date, and says whether it changed.
  ///
  /// Throws the file's own failure, or ``SyncError/Code/cancelled`` if the task was cancelled before the file was up to
  /// date; afterwards cancelling does not hide the result.
  ///
  /// `environment` is where proxies and certificates come from. `onProgress` hears how many bytes of the body are here,
  /// and of how many, if the length is known; it is called on another thread.
  public func run(
    options: RunOptions = RunOptions(), environment: [String: String] = [:],
    onProgress: (@Sendable (_ received: Int64, _ total: Int64?) -> Void)? = nil
  ) async throws(SyncError) -> TargetResult {
    var options = options
    options.reportsProgress = onProgress != nil
    let result = try await Self.perform([self], options, environment) { event in
      if case .progress(_, let received, let total) = event { onProgress?(received, total) }
    }[0]
    if let error = result.error { throw error }
    return result
  }

  /// Brings many files up to date in one run; the results are in the same order, and have the failures of single files.
  ///
  /// Files with another root or state folder are in a run of their own, one after the other. Nothing is done if a value is
  /// invalid or two files have the same destination. Throws only if no file came to an end: files that were skipped since
  /// the task was cancelled, or since the run of their root could not begin, have that error in their results.
  public static func run(
    _ files: [FileSync], options: RunOptions = RunOptions(), environment: [String: String] = [:]
  ) async throws(SyncError) -> [TargetResult] {
    try await perform(files, options, environment) { _ in }
  }

  private static func perform(
    _ files: [FileSync], _ options: RunOptions, _ environment: [String: String],
    _ report: @escaping @Sendable (Event) -> Void
  ) async throws(SyncError) -> [TargetResult] {
    let stop = StopSignal()
    return try await RunThread.perform(stop: stop) {
      // Ten thousand declarations take a while to read.
      FileRuns.perform(files, options, environment, stop, report)
    }.get()
  }
}
