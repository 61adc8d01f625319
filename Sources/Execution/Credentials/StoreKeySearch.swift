import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Looks for the credentials where the AWS tools do.
struct StoreKeySearch {
  private static let longestFile = 1 << 20
  /// Settings of profiles that have no key, but say how to get one.
  private static let unsupported = [
    "role_arn", "sso_session", "sso_start_url", "web_identity_token_file", "source_profile",
  ]

  private let location: S3Location
  private let variable: (String) -> String?
  private let environment: () -> [String]
  private let timeScale: Double
  private let isInVain: () -> Bool

  init(
    location: S3Location, variable: @escaping (String) -> String?, environment: @escaping () -> [String],
    timeScale: Double, isInVain: @escaping () -> Bool
  ) {
    self.location = location
    self.variable = variable
    self.environment = environment
    self.timeScale = timeScale
    self.isInVain = isInVain
  }

  /// How the store is asked, and until when so.
  func access(at now: Timestamp) throws(StoreKeyFault) -> (StoreAccess, renewal: Timestamp?) {
    let profile = profileName
    let endpoint = try endpoint()
    var files: Files?
    let region = try region(endpoint, profile, &files)
    let (key, renewal) = try key(profile, &files, at: now)
    guard key.isUsable else { throw .unusable }
    return (
      StoreAccess(base: location.base(region: region, endpoint: endpoint), region: region, key: key), renewal
    )
  }

  private var profileName: String { variable("AWS_PROFILE") ?? "default" }

  private func endpoint() throws(StoreKeyFault) -> String? {
    if let endpoint = location.endpoint { return endpoint }
    for name in ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"] {
      guard let text = variable(name) else { continue }
      guard let endpoint = S3Location.endpoint(text) else { throw .invalid(setting: name) }
      return endpoint
    }
    return nil
  }

  private func region(
    _ endpoint: String?, _ profile: String, _ files: inout Files?
  ) throws(StoreKeyFault) -> String {
    if let region = location.region { return region }
    for name in ["AWS_REGION", "AWS_DEFAULT_REGION"] {
      guard let text = variable(name) else { continue }
      guard S3Location.isRegion(text) else { throw .invalid(setting: name) }
      return text
    }
    if let text = try read(profile, &files).setting("region") {
      guard S3Location.isRegion(text) else { throw .invalid(setting: "region") }
      return text
    }
    // What servers other than Amazon's take when nothing is said.
    if endpoint != nil { return "us-east-1" }
    throw .noRegion
  }

  // MARK: Keys

  private func key(
    _ name: String, _ files: inout Files?, at now: Timestamp
  ) throws(StoreKeyFault) -> (StoreKey, renewal: Timestamp?) {
    switch (variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY")) {
    case (let id?, let secret?):
      return (StoreKey(id: id, secret: secret, token: variable("AWS_SESSION_TOKEN")), nil)
    case (_?, nil): throw .half(variable: "AWS_SECRET_ACCESS_KEY")
    case (nil, _?): throw .half(variable: "AWS_ACCESS_KEY_ID")
    case (nil, nil): break
    }
    let files = try read(name, &files)
    if let key = Self.key(in: files.credentials) { return (key, nil) }
    if let line = files.setting("credential_process") { return try key(by: line, files, at: now) }
    if let key = Self.key(in: files.configuration) { return (key, nil) }
    if files.credentials.settings == nil, files.configuration.settings == nil, variable("AWS_PROFILE") != nil
    {
      throw .noProfile(name, files: files.paths)
    }
    if let setting = Self.unsupported.first(where: { files.setting($0) != nil }) {
      throw .unsupported(profile: name, setting: setting)
    }
    throw .missing(profile: name, files: files.paths)
  }

  private static func key(in profile: Profile) -> StoreKey? {
    guard let id = profile["aws_access_key_id"], let secret = profile["aws_secret_access_key"] else {
      return nil
    }
    return StoreKey(id: id, secret: secret, token: profile["aws_session_token"])
  }

  /// By the program of the command line in a profile.
  private func key(
    by line: String, _ files: Files, at now: Timestamp
  ) throws(StoreKeyFault) -> (StoreKey, renewal: Timestamp?) {
    switch files.distrusted {
    case (let path, .writable)?: throw .writable(path: path)
    case (let path, .foreign)?: throw .foreign(path: path)
    case nil: break
    }
    guard let words = CommandWords.split(line), let program = words.first else {
      throw .invalid(setting: "credential_process")
    }
    do throws(HelperFault) {
      let programs = CredentialProgram(
        environment: environment(),
        searchPath: (variable("PATH") ?? "").split(separator: ":").map(String.init))
      let answer = try programs.answer(
        of: program, Array(words.dropFirst()), within: StoreKeys.longestTime, timeScale: timeScale,
        isInVain: isInVain)
      let found: ProcessKey
      do throws(ProcessKey.Fault) { found = try ProcessKey(answer) } catch { throw .invalid(error.text) }
      guard let expires = found.expires else { return (found.key, nil) }
      let left = expires.nanoseconds.subtractingReportingOverflow(now.nanoseconds)
      guard !left.overflow, left.partialValue > 0 else { throw .invalid("its key has expired") }
      // A minute before it expires, or at half of its time.
      let early = min(left.partialValue / 2, 60_000_000_000)
      return (found.key, Timestamp(nanoseconds: expires.nanoseconds - early))
    } catch {
      throw .process(error)
    }
  }

  // MARK: Files

  /// What the two files say of a profile.
  private struct Files {
    var credentials: Profile
    var configuration: Profile
    var paths: [String]
    /// The first that may not name programs.
    var distrusted: (path: String, FileDistrust)?

    func setting(_ name: String) -> String? { credentials[name] ?? configuration[name] }
  }

  private func read(_ profile: String, _ files: inout Files?) throws(StoreKeyFault) -> Files {
    if let files { return files }
    var distrusted: (path: String, FileDistrust)?
    var profiles: [Profile] = []
    var paths: [String] = []
    for (name, usual) in [("AWS_SHARED_CREDENTIALS_FILE", "credentials"), ("AWS_CONFIG_FILE", "config")] {
      let path = HomePath.resolve(variable(name) ?? "~/.aws/" + usual, home: HomePath.home(variable))
      let content = try path.map { path throws(StoreKeyFault) in try Self.content(of: path) } ?? nil
      if let path, let content, distrusted == nil {
        distrusted = FileDistrust(
          mode: content.status.mode, owner: content.status.owner, isNamed: variable(name) != nil
        ).map { (path, $0) }
      }
      if let path { paths.append(path) }
      profiles.append(Profile(profile, in: content?.bytes ?? [], isConfiguration: usual == "config"))
    }
    let read = Files(
      credentials: profiles[0], configuration: profiles[1], paths: paths, distrusted: distrusted)
    files = read
    return read
  }

  /// `nil` if it is not there.
  private static func content(
    of path: String
  ) throws(StoreKeyFault) -> (bytes: [UInt8], status: FileStatus)? {
    do throws(SystemError) {
      let file = try Descriptor(path, in: AT_FDCWD, O_RDONLY)
      let status = try FileStatus(file)
      guard status.kind == .file else { throw SystemError(status.kind == .folder ? EISDIR : EINVAL) }
      let bytes = try file.readAll(limit: longestFile + 1)
      guard bytes.count <= longestFile else { throw SystemError(EFBIG) }
      return (bytes, status)
    } catch {
      if error.code == ENOENT || error.code == ENOTDIR { return nil }
      throw .unreadable(path: path, error.text)
    }
  }
}
