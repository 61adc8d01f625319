import Execution
import LocalFiles
import ManifestParsing
import Reporting
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The program's answer to the scripts of `syncmake completions`, at each press of the key; not a command for
/// people.
///
/// It sends no request and writes nothing. In case of an error the answer is shorter, the status 0 and standard
/// error empty, because a prompt must not show errors.
enum CompletionAnswer {
  /// `syncmake __complete LIMIT CURRENT [WORD…]`: the words before the current one, the program's name left out.
  static let word = "__complete"
  /// `syncmake __names targets|target|tags`
  static let namesWord = "__names"

  /// Whether `arguments` ask for an answer; if so it was printed.
  static func answers(_ arguments: [String]) -> Bool {
    switch arguments.first {
    case word: Console.out(answer(Array(arguments.dropFirst())))
    case namesWord: Console.out(names(arguments.dropFirst().first))
    default: return false
    }
    return true
  }

  /// A line for each candidate, with a tab and its summary; lines that begin with `:` are instructions, and a tag that
  /// begins so is left out.
  static func text(_ completion: Completion) -> String {
    var lines: [String] = []
    if completion.areBeginnings { lines.append(":beginnings") }
    switch completion.paths {
    case .files: lines.append(":files \(completion.prefix)")
    case .folders: lines.append(":folders \(completion.prefix)")
    case nil: break
    }
    for candidate in completion.candidates where !candidate.text.hasPrefix(":") {
      lines.append(candidate.text + (candidate.summary.map { "\t\($0)" } ?? ""))
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func answer(_ arguments: [String]) -> String {
    guard arguments.count >= 2, let limit = Int(arguments[0]), let program = CommandDefinition.program else {
      return ""
    }
    let completion = Completion.of(arguments[1], after: Array(arguments[2...]), in: program) {
      candidates($0, directories: $1.directories, file: $1.file)
    }
    return text(completion.limited(to: limit))
  }

  private static func names(_ kind: String?) -> String {
    guard let kind = kind.flatMap(ManifestNameKind.init) else { return "" }
    return candidates(kind, directories: [], file: nil).map { $0.text + "\n" }.joined()
  }

  /// The manifest's names for such a line; changes the current folder.
  private static func candidates(
    _ kind: ManifestNameKind, directories: [String], file: String?
  ) -> [Completion.Candidate] {
    for directory in directories where unsafe chdir(directory) != 0 { return [] }
    guard let place = ManifestLocation(file: file, stateDir: nil, caller: .process), isPlainFile(place.path),
      let bytes = try? place.read()
    else { return [] }
    switch kind {
    case .targets, .target:
      let names = ManifestParser.names(bytes, context: place.context)
      return names.targets.map { .init(text: $0, summary: names.descriptions[$0].map(CleanText.clean)) }
        + listed(place, bytes).map { .init(text: $0.name.text, summary: $0.summary.map(CleanText.clean)) }
        + (kind == .targets ? names.groups : []).map { .init(text: $0, summary: "group") }
    case .tags:
      var seen: Set<String> = []
      let targets = ManifestParser.parse(bytes, context: place.context).manifest?.targets ?? []
      return (targets + listed(place, bytes)).flatMap(\.tags).filter { seen.insert($0).inserted }.map {
        .init(text: $0)
      }
    }
  }

  /// The targets that the manifest's lists name, as the last run has read them.
  private static func listed(_ place: ManifestLocation, _ bytes: [UInt8]) -> [Target] {
    // Most manifests have no list, and reading one twice takes time at each press of the key.
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.holds("list") || text.holds("include"), let opened = try? OpenedManifest(place),
      let own = opened.workspace?.manifest, !own.templates.isEmpty,
      let manifest = try? ManifestExpansion.performByStored(on: opened, lock: nil).workspace?.manifest
    else { return [] }
    var targets = manifest.targets.filter { if case .entry = $0.source { true } else { false } }
    for index in targets.indices {
      targets[index].summary = targets[index].summary.map(manifest.secrets.mask)
    }
    return targets
  }

  /// A pipe would be read empty, and the command itself would find nothing.
  private static func isPlainFile(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
