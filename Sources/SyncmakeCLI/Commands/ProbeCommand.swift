import ArgumentParser
import Execution
import ManifestParsing
import Planning
import Platform
import Reporting
import SyncModel

struct ProbeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "probe",
    abstract: "Test whether a server's validators and ranges work.",
    usage: "syncmake probe [<options>] <url> ...",
    discussion: """
      Sends at most six requests for each URL, and further ones for digest files beside it; does not download the file. \
      Tests whether ETag and Last-Modified stay the same, whether conditional requests give 304, and whether an \
      interrupted download can resume. Recommends a freshness rule. Says if the URL is a list, and of which format. Writes \
      nothing. Exits with 2 if a URL cannot be read.

      Examples:
        syncmake probe https://data.example.org/genes.tsv.gz
        syncmake probe --header 'Authorization: Bearer ${secret:TOKEN}' URL
        syncmake probe --json URL URL
      """)

  @OptionGroup var asking: AskingOptions
  @OptionGroup var talk: TalkOptions

  @Flag(help: "Print one JSON document.")
  var json = false

  @Argument(help: ArgumentHelp("The source: http, https, file, or a relative path.", valueName: "url"))
  var urls: [String]

  func run() throws {
    let interruption = Interruption()
    let parse = AskedURLs.read(
      urls, headers: asking.headers,
      secretFile: { path throws(SecretFileFault) in
        try SecretFile.read(path, outside: ".", home: HomePath.home(Environment.text))
      }, environment: Environment.variable)
    guard var manifest = parse.manifest else { throw Failure.commandLine(parse.diagnostics, talk.style) }
    for password in Environment.proxyPasswords { manifest.secrets.add(urlPassword: password) }
    let reports: [ProbeReport]
    let probing = try Probing(asking, manifest, talk.style)
    // What helpers have given is masked in the report, too.
    manifest.secrets = probing.secrets
    do throws(RunFault) {
      reports = try probing.reports(
        manifest.targets, rootPath: ".", stop: interruption.stop)
    } catch {
      throw Failure.fault(error, manifest.secrets, talk.style, interruption)
    }
    tell(reports, manifest.secrets)
    if reports.contains(where: { $0.advice == nil }) { throw ExitCode(2) }
  }

  private func tell(_ reports: [ProbeReport], _ secrets: SecretMask) {
    let now = SystemClock.now()
    if json {
      Console.out(ProbeJSON.render(reports, now: now, secrets: secrets))
    } else if !talk.silent {
      let pages = reports.map { ProbeText.render($0, now: now, style: talk.outStyle, secrets: secrets) }
      Console.out(pages.filter { !$0.isEmpty }.joined(separator: "\n"))
    }
    for report in reports {
      if let failure = ProbeText.failure(report, style: talk.style, secrets: secrets) { Console.err(failure) }
    }
  }
}

/// The requests of `probe` and `add`.
struct Probing {
  private var manifest: Manifest
  private let user: UserSettings
  private let narrator: RunNarrator

  init(_ asking: AskingOptions, _ manifest: Manifest, _ style: TextStyle) throws {
    let policy = try PolicyFile.policy(asking.trust, style, nil)
    if policy != nil { PolicyFile.leavePrograms(in: nil) }
    var settings = try UserSettings(asking.user, style)
    settings.policy = policy
    user = settings
    var manifest = manifest
    manifest.hosts = manifest.hosts.combined(with: user.configuration.hosts)
    if let helpers = user.routes.helpers { manifest.secrets.later = { helpers.secrets } }
    self.manifest = manifest
    narrator = RunNarrator(
      manifest: manifest, style: style, verbosity: asking.verbose ? .verbose : .normal, out: { _ in },
      err: Console.err)
  }

  /// Those of the manifest, and those that helpers give.
  var secrets: SecretMask { manifest.secrets }

  /// Looks at the first URL of each of `targets`.
  func reports(
    _ targets: [Target], rootPath: String, readsLists: Bool = false, stop: StopSignal
  ) throws(RunFault) -> [ProbeReport] {
    var settings = RunSettings(network: Environment.network)
    settings.resources.timeScale = Environment.timeScale
    settings.routes = user.routes
    settings.policy = user.policy
    return try Prober.probe(
      targets, of: manifest, rootPath: rootPath, settings: settings, readsLists: readsLists, stop: stop,
      report: narrator.handle)
  }
}
