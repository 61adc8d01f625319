import Execution

/// Commands whose fields are set here, with the same result as the argument parser's.
///
/// An unset field of the parser ends the program when it is read. A test compares all fields.
extension RunCommand {
  init(_ quick: QuickArguments) {
    self.init()
    selection = .everything
    decisions = DecisionOptions(quick)
    course = CourseOptions(quick)
    temporary = TemporaryOptions()
    temporary.exitTemporary = quick.tellsTemporary
    shards = ShardOptions(quick)
    results = ResultOptions(quick)
    reports = .none
    project = ProjectOptions(quick)
  }
}

extension SelectionOptions {
  fileprivate static var everything: SelectionOptions {
    var options = SelectionOptions()
    options.targets = []
    options.tag = []
    return options
  }
}

extension DecisionOptions {
  fileprivate init(_ quick: QuickArguments) {
    self.init()
    jobs = quick.jobs
    alwaysMake = false
    assumeOld = []
    assumeNew = []
    offline = quick.isOffline
    overwrite = quick.overwrites
    locked = false
    frozen = false
    user = UserOptions()
    user.config = nil
    caching = CacheOptions()
    caching.cache = quick.cache
    remoteCaching = RemoteCacheOptions()
    remoteCaching.remoteCache = quick.remoteCache
  }
}

extension CourseOptions {
  fileprivate init(_ quick: QuickArguments) {
    self.init()
    (dryRun, exitCode) = (false, false)
    question = quick.isQuestion
    touch = false
    keepGoing = quick.keepsGoing
    noWait = quick.isImpatient
    allowRemovals = false
    uploads = UploadOptions()
    uploads.cacheWait = nil
  }
}

extension ShardOptions {
  fileprivate init(_ quick: QuickArguments) {
    self.init()
    shard = quick.shard
    withShared = false
  }
}

extension ResultOptions {
  fileprivate init(_ quick: QuickArguments) {
    self.init()
    json = quick.printsJSON
    display = DisplayOptions()
    display.progress = .auto
  }
}

extension ReportOptions {
  fileprivate static var none: ReportOptions {
    var options = ReportOptions()
    (options.changed, options.events, options.junit) = (nil, nil, nil)
    (options.trace, options.report, options.depfile) = (nil, nil, nil)
    options.ci = .auto
    return options
  }
}

extension ProjectOptions {
  fileprivate init(_ quick: QuickArguments) {
    self.init()
    place = PlaceOptions()
    place.folder = FolderOptions()
    place.folder.directory = quick.directories
    place.file = quick.file
    stateDir = quick.stateDir
    silent = quick.isSilent
    verbose = false
    color = .auto
    trust = PolicyOptions()
    trust.untrusted = false
    trust.policy = nil
  }
}
