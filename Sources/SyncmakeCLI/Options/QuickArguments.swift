import SyncModel

/// The common command lines of a run and of `plan`, read without the argument parser, which takes longer than a small run.
///
/// For these lines the parser has the same result; all other lines are left to the parser.
struct QuickArguments: Equatable {
  /// `-C`, in their order.
  private(set) var directories: [String] = []
  /// `-f`
  private(set) var file: String?
  private(set) var stateDir: String?
  /// Whether it is `plan`, not a run.
  private(set) var isPlan = false
  /// `-q`
  private(set) var isQuestion = false
  /// `-s`
  private(set) var isSilent = false
  /// `--cache`, of which only what is fetched depends.
  private(set) var cache: String?
  /// `--remote-cache`, with the same meaning for one on a server.
  private(set) var remoteCache: String?
  /// `-j`; `nil` if it is not given.
  private(set) var jobs: Int?
  /// `--offline`
  private(set) var isOffline = false
  /// `-k`
  private(set) var keepsGoing = false
  /// `--no-wait`
  private(set) var isImpatient = false
  /// `--overwrite`
  private(set) var overwrites = false
  /// `--exit-temporary`
  private(set) var tellsTemporary = false
  /// `--json`
  private(set) var printsJSON = false
  /// `--shard`, if it names one.
  private(set) var shard: String?

  /// `nil` for every command line that is not among them.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    // The command may follow options: ``ArgumentOrder`` moves it before them.
    var hasCommand = false
    while let argument = rest.first {
      switch argument {
      case "run" where !hasCommand, "plan" where !hasCommand:
        hasCommand = true
        isPlan = argument == "plan"
        rest.removeFirst()
      case "-C", "--directory":
        guard let value = Self.value(rest.dropFirst().first) else { return nil }
        directories.append(value)
        rest.removeFirst(2)
      case "-f", "--file":
        guard Self.takeValue(&rest, to: &file) else { return nil }
      case "--state-dir":
        guard Self.takeValue(&rest, to: &stateDir) else { return nil }
      case "--cache":
        guard Self.takeValue(&rest, to: &cache) else { return nil }
      case "--remote-cache":
        guard Self.takeValue(&rest, to: &remoteCache) else { return nil }
      case "--shard":
        guard Self.takeValue(&rest, to: &shard) else { return nil }
      case "-j", "--jobs":
        guard takeJobs(rest.dropFirst().first) else { return nil }
        rest.removeFirst(2)
      case _ where argument.utf8.starts(with: "-j".utf8):
        guard takeJobs(String(argument.dropFirst(2))) else { return nil }
        rest.removeFirst()
      default:
        guard setsFlag(argument) else { return nil }
        rest.removeFirst()
      }
    }
    guard hasValidValues else { return nil }
    // `plan` lacks some of these options.
    let isOfRun = isQuestion || keepsGoing || isImpatient || overwrites || tellsTemporary || jobs != nil
    guard !isPlan || !isOfRun && isPlain else { return nil }
    // The parser knows what cannot be combined.
    guard !isQuestion || isPlain else { return nil }
  }

  /// Whether it is an option without a value; that one is set.
  private mutating func setsFlag(_ argument: String) -> Bool {
    switch argument {
    case "-q", "--question": isQuestion = true
    case "-s", "--silent": isSilent = true
    case "--offline": isOffline = true
    case "-k", "--keep-going": keepsGoing = true
    case "--no-wait": isImpatient = true
    case "--overwrite": overwrites = true
    case "--exit-temporary": tellsTemporary = true
    case "--json": printsJSON = true
    default: return false
    }
    return true
  }

  /// Whether the parser would take the values of all options; what is wrong with one is for it to say.
  private var hasValidValues: Bool {
    shard.map { (try? ShardOptions.found($0)) != nil } ?? true
      && RemoteCacheOptions.isValid(remoteCache)
  }

  /// Whether the compiled snapshot may have the whole answer: it knows all targets, and no documents.
  var isPlain: Bool { shard == nil && !printsJSON }

  /// Whether it is a number as people write them, the first one; whatever else the parser takes is for the parser.
  private mutating func takeJobs(_ text: String?) -> Bool {
    guard jobs == nil, let text, let number = Int(text), number > 0, String(number) == text else {
      return false
    }
    jobs = number
    return true
  }

  /// Takes an option that may be there once, and its value.
  private static func takeValue(_ rest: inout ArraySlice<String>, to field: inout String?) -> Bool {
    guard field == nil, let value = value(rest.dropFirst().first) else { return false }
    field = value
    rest.removeFirst(2)
    return true
  }

  /// A value that cannot be taken for an option.
  private static func value(_ text: String?) -> String? {
    text.flatMap { $0.isEmpty || $0.hasPrefix("-") ? nil : $0 }
  }
}
