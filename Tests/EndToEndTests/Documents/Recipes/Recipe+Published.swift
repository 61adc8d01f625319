import SyncTestSupport

/// Publishers whose files are found by a list.
extension Recipe {
  // MARK: Docsets

  static let docsetFeed = "/rss/com.apple.adc.documentation.AppleiPhone6.0.atom"

  static let docsets = Recipe(
    name: "docsets", address: "https://developer.apple.com",
    publish: { edition, publisher in
      var outputs: [String: [UInt8]] = [:]
      var entries: [String] = []
      for library in ["AppleiOS6.0.iOSLibrary", "AppleXcode.DeveloperTools"] {
        let identifier = "com.apple.adc.documentation.\(library)"
        let files = ["Contents/Info.plist", "Contents/Resources/docSet.dsidx"]
        let archive = try docset(identifier, files, edition)
        for version in (1...edition.number).reversed() {
          let path = "/docsets/2013010\(version)/\(identifier).xar"
          entries.append(
            docsetEntry(
              identifier, version: "60.\(version * 5)", url: publisher.storeURL(path), size: archive.count))
          if version == edition.number {
            publisher.store.on(path, .file(archive, etag: edition.etag(archive)))
          }
        }
        for file in files { outputs["docsets/\(identifier).docset/\(file)"] = edition.content(file) }
      }
      publisher.serve(docsetFeed, docsetFeed(entries), edition)
      return outputs
    },
    confirmations: [docsetFeed], refusal: "archive-corrupt")

  /// The feed of Xcode's documentation.
  static func docsetFeed(_ entries: [String]) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom" xmlns:docset="http://developer.apple.com/rss/docset_extensions" \
    xml:lang="en">
      <updated>2013-01-05T18:05:12Z</updated>
      <id>\(docsetFeed)</id>
      <title>iOS 6.0 Documentation</title>
      <link href="\(docsetFeed)" rel="self"/>
    \(entries.joined())</feed>

    """
  }

  /// An entry of ``docsetFeed(_:)``.
  static func docsetEntry(_ identifier: String, version: String, url: String, size: Int) -> String {
    """
      <entry>
        <id>\(url)?\(version)</id>
        <title>\(identifier)</title>
        <updated>2013-01-05T11:05:12-07:00</updated>
        <content type="html">&lt;p&gt;Documentation&lt;/p&gt;</content>
        <link rel="enclosure" href="\(url)" length="\(size)" type="application/octet-stream"/>
        <link rel="alternate" href="/library/ios/"/>
        <docset:identifier>\(identifier)</docset:identifier>
        <docset:version>\(version)</docset:version>
        <docset:minimumXcodeVersion>4.5</docset:minimumXcodeVersion>
        <docset:signer>Apple Inc.</docset:signer>
      </entry>

    """
  }

  private static func docset(
    _ identifier: String, _ files: [String], _ edition: Edition
  ) throws -> [UInt8] {
    let archive = try TestArchives.make(
      "xar", files.enumerated().map { "\(identifier).docset/\($1)=\($0)" },
      files: Dictionary(uniqueKeysWithValues: files.enumerated().map { ("\($0)", edition.content($1)) }))
    return edition.isDamaged ? Array(archive.dropLast(archive.count / 3)) : archive
  }

  // MARK: A release

  private static let releases = "/repos/BurntSushi/ripgrep/releases"

  static let latestRelease = Recipe(
    name: "latest-release", address: "https://api.github.com",
    publish: { edition, publisher in
      var releases: [String] = []
      for number in (1...edition.number + 1).reversed() {
        let version = "14.\(number * 9).0"
        let name = "ripgrep-\(version)-x86_64-unknown-linux-musl"
        let path = "/BurntSushi/ripgrep/releases/download/\(version)/\(name).tar.gz"
        func packed(_ program: [UInt8]) throws -> [UInt8] {
          try TestArchives.make(
            "tar.gz", ["\(name)/", "\(name)/doc/rg.1=rg", "\(name)/rg=rg"], files: ["rg": program])
        }
        let archive = try packed(edition.content("rg"))
        let sum = try TestData.digest("sha256", archive)
        // The newest one is a draft, which never counts.
        releases.append(
          #"{"tag_name": "\#(version)", "name": "\#(version)", "draft": \#(number > edition.number), "#
            + #""prerelease": false, "assets": [{"name": "\#(name).tar.gz", "state": "uploaded", "#
            + #""size": \#(archive.count), "digest": "sha256:\#(sum)", "updated_at": "2026-01-0\#(number)T00:00:00Z", "#
            + #""browser_download_url": "\#(publisher.storeURL(path))"}]}"#)
        publisher.store.on(path, .file(try packed(edition.arriving("rg")), etag: "\"\(number)\""))
      }
      publisher.serve(Recipe.releases, "[\(releases.joined(separator: ",\n"))]\n", edition)
      return ["bin/rg": edition.content("rg")]
    },
    confirmations: [releases])

  // MARK: A value

  private static let exports = "/pub/musicbrainz/data/fullexport"

  static let databaseDump = Recipe(
    name: "musicbrainz", address: "https://data.metabrainz.org",
    publish: { edition, publisher in
      let dump = "mbdump.tar.bz2"
      let folder = "\(exports)/\(edition.day)-002114"
      let sum = try TestData.digest("sha256", edition.content(dump))
      publisher.serve("\(exports)/LATEST", "\(edition.day)-002114\n", edition)
      publisher.serve("\(folder)/\(dump)", edition.arriving(dump), edition)
      publisher.serve("\(folder)/SHA256SUMS", "\(sum) *\(dump)\n", edition)
      return ["musicbrainz/\(dump)": edition.content(dump)]
    },
    confirmations: ["\(exports)/LATEST"])

  // MARK: A folder

  private static let folder = "/blast/db/"
  private static let volumes = ["ref_prok_rep_genomes.00.tar.gz", "ref_prok_rep_genomes.01.tar.gz"]

  static let mirroredFolder = Recipe(
    name: "mirrored-folder", address: "https://ftp.ncbi.nlm.nih.gov",
    publish: { edition, publisher in
      var outputs: [String: [UInt8]] = [:]
      var page = """
        <!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">
        <html>
         <head>
          <title>Index of /blast/db</title>
         </head>
         <body>
        <h1>Index of /blast/db</h1>
        <pre>Name                    Last modified      Size  <hr><a href="/blast/">Parent Directory</a>      -
        <a href="FASTA/">FASTA/</a>                  2026-01-01 03:00    -

        """
      for name in volumes + ["swissprot.tar.gz"] {
        let sum = try TestData.digest("md5", edition.content(name))
        publisher.serve("\(folder)\(name)", edition.arriving(name), edition)
        publisher.serve("\(folder)\(name).md5", "\(sum)  \(name)\n", edition)
        for file in [name, "\(name).md5"] {
          page += "<a href=\"\(file)\">\(file)</a>   2026-01-0\(edition.number) 03:00  1.1G  \n"
        }
        outputs["blast/\(name)"] = edition.content(name)
      }
      publisher.serve(folder, page + "<hr></pre>\n</body></html>\n", edition)
      outputs["blast/swissprot.tar.gz"] = nil
      return outputs
    },
    confirmations: [folder] + volumes.map { "\(folder)\($0).md5" })

  // MARK: A podcast

  private static let feed = "/podcast/feed"

  static let podcast = Recipe(
    name: "podcast", address: "https://changelog.com",
    publish: { edition, publisher in
      var outputs: [String: [UInt8]] = [:]
      var items: [String] = []
      let last = 90 + edition.number * 6
      for number in (90...last).reversed() {
        let name = "the-changelog-\(number).mp3"
        let path = "/uploads/podcast/\(number)/\(name)"
        let reply = Reply.file(edition.content(name), etag: "\"\(number)\"")
        publisher.store.on(path, edition.isDamaged ? reply.cut(after: 5) : reply)
        if number > last - 5 { outputs["episodes/\(name)"] = edition.content(name) }
        items.append(
          """
          <item>
            <title>Episode \(number) (Interview)</title>
            <link>https://changelog.com/podcast/\(number)</link>
            <guid isPermaLink="false">changelog.com/1/\(1000 + number)</guid>
            <pubDate>Thu, 01 Jan 2026 15:00:00 +0000</pubDate>
            <enclosure url="\(publisher.storeURL(path))" length="\(edition.content(name).count)" type="audio/mpeg" />
            <itunes:duration>1:27:31</itunes:duration>
          </item>

          """)
      }
      publisher.serve(
        feed,
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" \
        xmlns:atom="http://www.w3.org/2005/Atom">
        <channel><title>The Changelog</title><link>https://changelog.com/podcast</link>
        <atom:link href="https://changelog.com/podcast/feed" rel="self" type="application/rss+xml" />
        \(items.joined())</channel></rss>

        """, edition)
      return outputs
    },
    confirmations: [feed], refusal: "truncated")
}
