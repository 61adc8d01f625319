import ContentPipeline

/// Runs the jobs of a run that may take a while; tests have one without threads.
protocol JobRunner: Sendable {
  /// Runs `job` once, now or later.
  func submit(_ job: @escaping @Sendable () -> Void)

  /// Returns when all submitted jobs have ended.
  func shutDown()
}

extension WorkerPool: JobRunner {}
