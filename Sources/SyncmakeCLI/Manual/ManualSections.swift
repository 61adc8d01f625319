/// What the manual page says that no option does.
enum ManualSections {
  static let description = """
    brings local files up to date with remote ones, the way make brings objects up to date with sources. A manifest, \
    `syncmake.yaml`, says where each file comes from, how to tell that it is stale and what to do with its bytes. A \
    run plans, then does only what the plan calls for, in parallel.
    """

  static let exitStatuses: [(String, String)] = [
    ("0", "Every selected target is up to date."),
    ("1", "`-q` or `plan --exit-code`: something is stale."),
    ("2", "At least one target failed, or the folder is busy and `--no-wait` was given."),
    (
      "3",
      "The manifest or the lock file is missing or invalid, or a named target unknown; nothing was started."
    ),
    ("64", "The command line is wrong."),
    ("70", "A bug in syncmake."),
    (
      "75",
      "With `--exit-temporary`: like 2, and every failure is of a kind that is retried (no connection, a timeout, a "
        + "reply that broke off, the statuses 408, 425, 429, 500, 502, 503 and 504). A later run may succeed."
    ),
    (
      "130, 143",
      "Ended by SIGINT or SIGTERM, after stopping cleanly. A disk that is slow to sync is waited for; a second signal "
        + "ends it at once."
    ),
  ]

  static let files: [(String, String)] = [
    ("syncmake.yaml, syncmake.yml", "The manifest, looked for in the current folder."),
    (
      "syncmake.schema.json",
      "The manifest's JSON Schema for editors, where `syncmake init` wrote it; to be committed."
    ),
    ("syncmake.lock", "Exact versions and digests, where you asked for them; to be committed."),
    (
      ".syncmake/",
      "State and partial downloads, beside the manifest; never committed. Its loss costs work, nothing else."
    ),
  ]

  static let environment: [(String, String)] = [
    ("http_proxy, https_proxy, HTTPS_PROXY, all_proxy, ALL_PROXY", "Proxies, as for curl."),
    ("no_proxy, NO_PROXY", "Hosts that are reached without a proxy."),
    (
      "CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR",
      "Certificates to trust instead of the system's. The first one that is set counts."
    ),
    ("NETRC", "The file for `netrc: true`, instead of `~/.netrc`."),
    ("HOME", "Where `.netrc` is."),
    (
      "MAKEFLAGS",
      "The jobserver of a make that runs syncmake: what is unpacked, digested and written at once counts among its jobs."
    ),
    ("NO_COLOR", "No colours, unless `--color` asks for them."),
    ("CLICOLOR_FORCE", "Colours also where the output is no terminal."),
    ("TERM", "`dumb` is a terminal without colours and without a moving cursor."),
    ("SYNCMAKE_INFLATE", "`zlib` unpacks with zlib, also where ISA-L is installed."),
    (
      "GITHUB_ACTIONS, GITLAB_CI",
      "`true` in the pipelines that `--ci auto` speaks to. They set GITHUB_STEP_SUMMARY, GITHUB_WORKSPACE and CI_PROJECT_DIR, too."
    ),
    ("other variables", "As the manifest asks for them with `${env:NAME}` and `${secret:NAME}`."),
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
      page.macro(".\(tag) \(entry.replacing(", ", with: " , "))")
      page.prose(words)
    }
    page.macro(".El")
  }
}
