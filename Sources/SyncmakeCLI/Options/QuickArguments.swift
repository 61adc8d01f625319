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
  /// Everything but `-C`.
  private var others: [String] = []

  /// `nil` for every command line that is not among them.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    isPlan = rest.first == "plan"
    if isPlan || rest.first == "run" { take(&rest) }
    while let argument = rest.first {
      switch argument {
      case "-C", "--directory":
        guard let value = Self.value(rest.dropFirst().first) else { return nil }
        directories.append(value)
        rest.removeFirst(2)
      case "-f", "--file":
        guard Self.takeValue(&rest, to: &file, &others) else { return nil }
      case "--state-dir":
        guard Self.takeValue(&rest, to: &stateDir, &others) else { return nil }
      case "--cache":
        guard Self.takeValue(&rest, to: &cache, &others) else { return nil }
      case "--remote-cache":
        guard Self.takeValue(&rest, to: &remoteCache, &others) else { return nil }
      case "-q", "--question":
        isQuestion = true
        take(&rest)
      case "-s", "--silent":
        isSilent = true
        take(&rest)
      case "-j", "--jobs":
        guard takeJobs(rest.dropFirst().first) else { return nil }
        take(&rest)
        take(&rest)
      case _ where argument.utf8.starts(with: "-j".utf8):
        guard takeJobs(String(argument.dropFirst(2))) else { return nil }
        take(&rest)
      case "--offline":
        isOffline = true
        take(&rest)
      case "-k", "--keep-going":
        keepsGoing = true
        take(&rest)
      case "--no-wait":
        isImpatient = true
        take(&rest)
      case "--overwrite":
        overwrites = true
        take(&rest)
      case "--exit-temporary":
        tellsTemporary = true
        take(&rest)
      case "--json":
        printsJSON = true
        take(&rest)
      case "--shard":
        guard Self.takeValue(&rest, to: &shard, &others) else { return nil }
      default: return nil
      }
    }
    guard hasValidValues else { return nil }
    // `plan` lacks some of these options, and its messages name the folder of `-C`.
    let isOfRun = isQuestion || keepsGoing || isImpatient || overwrites || tellsTemporary || jobs != nil
    guard !isPlan || !isOfRun && directories.isEmpty && isPlain else { return nil }
    // The parser knows what cannot be combined.
    guard !isQuestion || isPlain else { return nil }
  }

  /// Whether the parser would take the values of all options; what is wrong with one is for it to say.
  private var hasValidValues: Bool {
    shard.map { (try? ShardOptions.found($0)) != nil } ?? true
      && RemoteCacheOptions.isValid(remoteCache)
  }

  /// Whether the compiled snapshot may have the whole answer: it knows all targets, and no documents.
  var isPlain: Bool { shard == nil && !printsJSON }

  /// The command line without the first `count` folders, which have been entered.
  func arguments(from count: Int) -> [String] {
    others + directories.dropFirst(count).flatMap { ["-C", $0] }
  }

  /// Whether it is a number as people write them, the first one; whatever else the parser takes is for the parser.
  private mutating func takeJobs(_ text: String?) -> Bool {
    guard jobs == nil, let text, let number = Int(text), number > 0, String(number) == text else {
      return false
    }
    jobs = number
    return true
  }

  private mutating func take(_ rest: inout ArraySlice<String>) {
    others.append(rest.removeFirst())
  }

  /// Takes an option that may be there once, and its value.
  private static func takeValue(
    _ rest: inout ArraySlice<String>, to field: inout String?, _ others: inout [String]
  ) -> Bool {
    guard field == nil, let value = value(rest.dropFirst().first) else { return false }
    field = value
    others += rest.prefix(2)
    rest.removeFirst(2)
    return true
  }

  /// A value that cannot be taken for an option.
  private static func value(_ text: String?) -> String? {
    text.flatMap { $0.isEmpty || $0.hasPrefix("-") ? nil : $0 }
  }
}
