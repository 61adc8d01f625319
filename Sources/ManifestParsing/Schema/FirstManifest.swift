/// The manifest that `syncmake init` writes: valid, without a target, with comments that teach the keys.
package enum FirstManifest {
  /// The schema's copy beside it, which editors read without any network and version control keeps for all.
  package static let schemaFileName = "syncmake.schema.json"

  /// `withSchema`: whether its first line points editors to the copy.
  package static func text(withSchema: Bool) -> String { head(withSchema: withSchema) + body }

  /// The line that points editors to the copy, or nothing.
  package static func head(withSchema: Bool) -> String {
    withSchema ? "# yaml-language-server: $schema=./\(schemaFileName)\n" : ""
  }

  /// Each commented-out block is valid when its "# " is removed.
  private static let body = #"""
    # What is kept up to date here: where each file comes from, how to tell that it is stale, and what to do with
    # its bytes. `syncmake add URL` adds a file, `syncmake -n` says what a run would do, and `syncmake` does it.
    version: 1

    # Values to write once. ${env:NAME} and ${secret:NAME} come from the environment; secrets are never printed.
    #
    # vars:
    #   mirror: https://data.example.org

    # What holds for every target that does not say otherwise.
    #
    # defaults:
    #   freshness: etag       # ask the server; also mtime, once, always, {interval: 12h}, {sha256: {url: …}}
    #   retries: 4

    # A name for each file, and under it what it is:
    #
    # targets:
    #   genes:
    #     url: https://data.example.org/genes.tsv.gz    # or a list of mirrors, or a path
    #     output: data/genes.tsv                        # by default the last part of the URL
    #     freshness: {interval: 12h, then: etag}        # ask at most every twelve hours
    #     steps:
    #       - verify: {md5: {url: "https://data.example.org/genes.tsv.gz.md5"}}
    #       - gunzip
    #   index:
    #     url: https://data.example.org/genes.idx
    #     needs: [genes]                                # comes first; when it changes, this is stale
    targets: {}

    """#
}
