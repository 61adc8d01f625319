import Planning

/// The parts of the manual page that are not about options.
enum ManualSections {
  static let description = """
    brings local files up to date with remote ones, the way make brings objects up to date with sources. A manifest, \
    `syncmake.yaml`, says where each file comes from, how to tell that it is stale and what to do with its bytes. A \
    run plans, then does only what the plan requires, in parallel.
    """

  static let exitStatuses: [(String, String)] = [
    ("0", "Every selected target is up to date."),
    (
      "1",
      "`-q`, or `plan`, `outdated` or `run -n` with `--exit-code`: something is stale, or may be. "
        + "`update -n --exit-code`: something would move."
    ),
    ("2", "At least one target failed, or the root is busy and `--no-wait` was given."),
    (
      "3",
      "The manifest, the lock file, the user's configuration or a policy is missing or invalid, or a named target unknown; "
        + "nothing was started."
    ),
    ("64", "The command line is wrong."),
    ("70", "A bug in syncmake."),
    (
      "75",
      "In a shard, or with `--exit-temporary`: like 2, and every failure is temporary (no connection, a timeout, a "
        + "reply that broke off, bytes other than the server's own digest says, the statuses 408, 425, 429, 500, 502, 503 and 504). A later run may succeed."
    ),
    (
      "130, 143",
      "Stopped cleanly by SIGINT or SIGTERM. syncmake still waits for a slow disk; a second signal "
        + "ends it at once."
    ),
  ]

  static let files: [(String, String)] = [
    ("syncmake.yaml, syncmake.yml", "The manifest. syncmake looks for it in the current folder."),
    (
      "syncmake.schema.json",
      "The manifest's JSON Schema for editors, written by `syncmake init`. Commit it."
    ),
    (
      "~/.config/syncmake/config.yaml",
      "The user's configuration: caches, mirrors, credential helpers, limits. `XDG_CONFIG_HOME` and `SYNCMAKE_CONFIG` move it."
    ),
    ("syncmake.lock", "Exact versions and digests, written by `syncmake lock`. Commit it."),
    (
      ".syncmake/",
      "State and partial downloads, beside the manifest. Do not commit it. Without it syncmake repeats work."
    ),
  ]

  static let environment: [(String, String)] = [
    ("http_proxy, https_proxy, HTTPS_PROXY, all_proxy, ALL_PROXY", "Proxies, as for curl."),
    ("no_proxy, NO_PROXY", "Hosts that are reached without a proxy. `--untrusted` ignores them."),
    (
      "CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR",
      "Certificates to trust instead of the system's: a file and a folder. With `CURL_CA_BUNDLE` the others are ignored."
    ),
    ("NETRC", "The file for `netrc: true`, instead of `~/.netrc`."),
    ("HOME", "Where `.netrc` and `.config` are. A relative path is ignored."),
    ("SYNCMAKE_CONFIG", "The user's configuration, if `--config` names none; `off` is none."),
    ("XDG_CONFIG_HOME", "The folder with `syncmake/config.yaml`, instead of `~/.config`."),
    (
      "PATH",
      "Where the helpers of the user's configuration and the program of `credential_process` are, if they are named without a folder."
    ),
    (
      "MAKEFLAGS",
      "The jobserver of a make that runs syncmake. Work on several downloads at once counts among make's jobs."
    ),
    ("SYNCMAKE_CACHE", "The folder of a cache, if `--cache` names none; `off` is none."),
    (
      "SYNCMAKE_REMOTE_CACHE",
      "The address of a cache on a server, if `--remote-cache` names none; `off` is none."
    ),
    (
      "SYNCMAKE_SIGN_KEY",
      "The file of a minisign secret key without a password, which signs what caches record of sources."
    ),
    (
      "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE",
      "Credentials for a cache on S3, or where they are; nothing else uses them."
    ),
    (
      "AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL",
      "Where a cache on S3 is, if its address does not say."
    ),
    ("NO_COLOR", "No colours, unless `--color` asks for them."),
    ("CLICOLOR_FORCE", "Colours even if the output is not a terminal."),
    ("TERM", "`dumb` means a terminal without colours and without cursor movement."),
    ("SYNCMAKE_INFLATE", "`zlib` decompresses with zlib even if ISA-L is installed."),
    (
      "GITHUB_ACTIONS, GITLAB_CI",
      "`true` in the CI systems that `--ci auto` detects. They also set GITHUB_STEP_SUMMARY, GITHUB_OUTPUT, GITHUB_WORKSPACE and CI_PROJECT_DIR."
    ),
    (
      ShardScheduler.variables.joined(separator: ", "),
      "Which shard `--shard auto` is; other variables of the same scheduler say of how many. The first scheduler whose variables are all there counts."
    ),
    ("other variables", "The manifest can use them with `${env:NAME}` and `${secret:NAME}`."),
  ]

  static func write(_ page: inout ManualWriter) {
    section("ENVIRONMENT", environment, "It Ev", &page)
    section("FILES", files, "It Pa", &page)
    section("EXIT STATUS", exitStatuses, "It", &page)
  }

  private static func section(
    _ name: String, _ entries: [(String, String)], _ tag: String, _ page: inout ManualWriter
  ) {
    page.section(name)
    page.macro(".Bl -tag -width Ds")
    for (entry, words) in entries {
      page.macro(".\(tag) \(entry.with(" , ", for: ", "))")
      page.prose(words)
    }
    page.macro(".El")
  }
}
