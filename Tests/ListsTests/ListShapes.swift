import Foundation
import SyncModel
import Testing

@testable import Lists

/// One document of `Corpus`, in the shape that a publisher or a server gives its lists; the values are our own.
struct ListShape: Sendable, CustomTestStringConvertible {
  /// Where the shape is from.
  enum Origin {
    /// A server of this version gave it, on loopback; only scripts, styles and drawings are replaced.
    case server(String)
    /// Rebuilt from documents that this publisher or program gives, or from its documentation.
    case rebuilt(String)
  }

  var format: ListFormat
  /// In the folder that has the format's name.
  var file: String
  var origin: Origin
  /// The page's final URL.
  var url = "https://lists.example.org/pub/list?page=1"
  var fields = ListFields()

  var testDescription: String { "\(format.rawValue)/\(file)" }

  static let all: [ListShape] = [
    ListShape(
      format: .atom, file: "apple-docsets.atom", origin: .rebuilt("Apple's docset feeds"),
      url: "https://docs.example.org/rss/org.example.Kit1_0.atom"),
    ListShape(format: .atom, file: "github-releases.atom", origin: .rebuilt("GitHub's releases.atom")),
    ListShape(format: .atom, file: "blogger-paged.atom", origin: .rebuilt("Blogger, with pages")),
    ListShape(format: .atom, file: "xml-base.atom", origin: .rebuilt("a blog that uses xml:base")),
    ListShape(
      format: .atom, file: "arxiv.atom", origin: .rebuilt("arXiv's API"),
      url: "http://papers.example.org/api/query"),
    ListShape(
      format: .atom, file: "inspire-download.atom", origin: .rebuilt("INSPIRE download services"),
      url: "https://geo.example.org/dls/hoehen.xml"),

    ListShape(format: .rss, file: "buzzsprout.rss", origin: .rebuilt("Buzzsprout, a podcast")),
    ListShape(format: .rss, file: "wordpress-powerpress.rss", origin: .rebuilt("WordPress with PowerPress")),
    ListShape(format: .rss, file: "sourceforge.rss", origin: .rebuilt("SourceForge's list of files")),
    ListShape(
      format: .rss, file: "libsyn-old.rss", origin: .rebuilt("a podcast of 2002, RSS 0.91 in Latin 1"),
      url: "http://old.example.org/feed"),
    ListShape(format: .rss, file: "nasa-image.rss", origin: .rebuilt("NASA's image of the day")),

    ListShape(
      format: .dash, file: "kapeli.xml", origin: .rebuilt("Kapeli's feeds"),
      url: "http://feeds.example.org/NodeJS.xml"),
    ListShape(
      format: .dash, file: "kapeli-ios.xml", origin: .rebuilt("Kapeli's feeds, with ios_version"),
      url: "http://feeds.example.org/Swift.xml"),
    ListShape(
      format: .dash, file: "revision-only.xml", origin: .rebuilt("Kapeli's feeds, without a version"),
      url: "http://feeds.example.org/Bash.xml"),
    ListShape(format: .dash, file: "generated.xml", origin: .rebuilt("generators of docsets")),
    ListShape(format: .dash, file: "relative.xml", origin: .rebuilt("a docset beside its feed")),

    listing("nginx.html", .server("nginx 1.22.1")),
    listing("nginx-fancyindex.html", .server("nginx 1.22.1 with ngx-fancyindex 0.5.2")),
    listing("nginx.json", .server("nginx 1.22.1, autoindex_format json")),
    listing("apache-plain.html", .server("Apache 2.4.71")),
    listing("apache-fancy.html", .server("Apache 2.4.71, FancyIndexing")),
    listing("apache-table.html", .server("Apache 2.4.71, FancyIndexing HTMLTable IconsAreLinks")),
    listing("lighttpd.html", .server("lighttpd 1.4.69")),
    listing("caddy-2.6.html", .server("Caddy 2.6.2")),
    listing("caddy-2.11.html", .server("Caddy 2.11.7")),
    listing("caddy.json", .server("Caddy 2.6.2 and 2.11.7, Accept: application/json")),
    listing("python.html", .server("http.server of Python 3.11.7")),

    sums("debian-sha256sums", "Debian's installation images"),
    sums("debian-md5sums-netboot", "Debian's installer"),
    sums("goreleaser-checksums.txt", "goreleaser"),
    sums("freebsd-checksum.txt", "FreeBSD, one file for two algorithms"),
    sums("fedora-CHECKSUM", "Fedora, signed"),
    sums("nodejs-shasums256.txt", "Node.js, with folders"),
    sums("windows-sha1.txt", "sha1sum -b on Windows"),
    sums("coreutils-escaped", "md5sum, with an escaped name"),

    github("ripgrep.json", "ripgrep, without digests"),
    github("goreleaser.json", "a tool that goreleaser publishes"),
    github("draft-and-prerelease.json", "drafts, pre-releases and an unfinished upload"),
    github("forgejo.json", "Forgejo 9"),
    github("latest.json", "one release, as releases/latest gives it"),
    github("escaped-names.json", "names with escapes"),

    json(
      "zenodo.json", "Zenodo's records", entries: "/files",
      [("name", "/key"), ("url", "/links/self"), ("digest", "/checksum"), ("size", "/size"), ("id", "/id")]),
    json(
      "pypi.json", "PyPI", entries: "/urls",
      [
        ("key", "/filename"), ("url", "/url"), ("digest", "/digests/sha256"), ("size", "/size"),
        ("updated", "/upload_time_iso_8601"), ("python", "/python_version"), ("yanked", "/yanked"),
        ("reason", "/yanked_reason"),
      ]),
    json(
      "figshare.json", "figshare's articles", entries: "/files",
      [("key", "/name"), ("name", "/name"), ("url", "/download_url"), ("digest", "/computed_md5")]),
    json(
      "osf.json", "OSF's API", entries: "/data",
      [
        ("key", "/id"), ("name", "/attributes/name"), ("url", "/links/download"),
        ("digest", "/attributes/extra/hashes/sha256"), ("size", "/attributes/size"),
        ("updated", "/attributes/date_modified"),
      ]),
    json(
      "ckan.json", "CKAN's package_show", entries: "/result/resources",
      [
        ("key", "/id"), ("url", "/url"), ("digest", "/hash"), ("size", "/size"),
        ("updated", "/last_modified"),
        ("label", "/name"),
      ]),
    json(
      "adoptium.json", "Adoptium's API", entries: "",
      [
        ("name", "/binary/package/name"), ("url", "/binary/package/link"), ("version", "/version/semver"),
        ("digest", "/binary/package/checksum"), ("size", "/binary/package/size"),
        ("major", "/version/major"),
      ]),
    ListShape(format: .json, file: "plain.json", origin: .rebuilt("rows with the names of the roles")),

    ListShape(format: .csv, file: "minimal.csv", origin: .rebuilt("RFC 4180")),
    csv(
      "open-images.csv", "Open Images",
      [
        ("key", "ImageID"), ("url", "OriginalURL"), ("size", "OriginalSize"), ("author", "Author"),
        ("title", "Title"),
      ]),
    csv(
      "mobility-feeds.csv", "MobilityData's feeds_v2.csv",
      [
        ("key", "mdb_source_id"), ("url", "urls.latest"), ("country", "location.country_code"),
        ("status", "status"),
      ]),
    csv(
      "excel-utf8.csv", "Excel, CSV UTF-8",
      [("name", "Name"), ("url", "Download URL"), ("digest", "SHA-256")]),
    csv("google-sheets.csv", "Google Sheets", [("name", "file"), ("url", "link"), ("version", "rev")]),
    csv(
      "postgres-copy.csv", "PostgreSQL's COPY",
      [("key", "id"), ("url", "path"), ("size", "bytes"), ("updated", "updated_at"), ("public", "is_public")]),

    s3("aws.xml", .rebuilt("Amazon S3"), "https://data.s3.example.com/?list-type=2&prefix=genomes/"),
    s3(
      "aws-truncated.xml", .rebuilt("Amazon S3, one page of several"),
      "https://data.s3.example.com/?list-type=2&delimiter=/&continuation-token=1ueGcxLPRx1Tr%2FXYE&max-keys=1"
    ),
    s3("minio.xml", .rebuilt("MinIO, encoding-type=url"), "http://127.0.0.1:9000/backups?list-type=2"),
    s3("ceph-rgw.xml", .rebuilt("Ceph's gateway"), "https://rgw.example.org/pub/?list-type=2"),
    s3("google-cloud.xml", .rebuilt("Google Cloud Storage"), "https://storage.example.com/tiles?list-type=2"),
    s3("moto.xml", .server("moto 5"), "http://127.0.0.1:9112/data?list-type=2"),
    s3(
      "moto-encoded.xml", .server("moto 5, encoding-type=url"),
      "http://127.0.0.1:9112/data?list-type=2&encoding-type=url&max-keys=2"),

    ListShape(format: .sitemap, file: "plain.xml", origin: .rebuilt("sitemaps.org")),
    ListShape(format: .sitemap, file: "yoast-index.xml", origin: .rebuilt("Yoast SEO, an index")),
    ListShape(format: .sitemap, file: "wordpress-images.xml", origin: .rebuilt("WordPress, with images")),
    ListShape(
      format: .sitemap, file: "google-084.xml", origin: .rebuilt("Google's first version"),
      url: "http://data.example.edu/sitemap.xml"),
    ListShape(format: .sitemap, file: "no-namespace.xml", origin: .rebuilt("hand-made ones")),
    ListShape(format: .sitemap, file: "news.xml", origin: .rebuilt("news sites")),

    metalink("rfc5854.meta4", "RFC 5854"),
    metalink("mirrormanager.metalink", "Fedora's MirrorManager, version 3"),
    metalink("mirrorbrain.meta4", "MirrorBrain, openSUSE"),
    metalink("aria2-v3.metalink", "aria2's manual, version 3"),
    metalink("prefixed.meta4", "a program that writes prefixes"),
  ]

  private static func listing(_ file: String, _ origin: Origin) -> ListShape {
    ListShape(format: .index, file: file, origin: origin, url: "http://127.0.0.1:9101/pub/")
  }

  private static func sums(_ file: String, _ origin: String) -> ListShape {
    ListShape(
      format: .checksums, file: file, origin: .rebuilt(origin), url: "https://cd.example.org/amd64/SHA256SUMS"
    )
  }

  private static func github(_ file: String, _ origin: String) -> ListShape {
    ListShape(
      format: .github, file: file, origin: .rebuilt(origin),
      url: "https://api.git.example.org/repos/o/tool/releases?per_page=100")
  }

  private static func json(
    _ file: String, _ origin: String, entries: String, _ columns: [(name: String, place: String)]
  ) -> ListShape {
    ListShape(
      format: .json, file: file, origin: .rebuilt(origin),
      fields: ListFields(entries: JSONPointer(entries), columns: columns))
  }

  private static func csv(
    _ file: String, _ origin: String, _ columns: [(name: String, place: String)]
  ) -> ListShape {
    ListShape(format: .csv, file: file, origin: .rebuilt(origin), fields: ListFields(columns: columns))
  }

  private static func s3(_ file: String, _ origin: Origin, _ url: String) -> ListShape {
    ListShape(format: .s3, file: file, origin: origin, url: url)
  }

  private static func metalink(_ file: String, _ origin: String) -> ListShape {
    ListShape(
      format: .metalink, file: file, origin: .rebuilt(origin), url: "http://mirrors.example.org/lists/x.meta4"
    )
  }
}

extension ListShape {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

  func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: place(file))) }

  func expected() throws -> String { try String(contentsOf: place(file + ".expected"), encoding: .utf8) }

  private func place(_ name: String) -> URL { Self.folder.appending(path: "\(format.rawValue)/\(name)") }

  func read(_ bytes: [UInt8]) throws(ListFault) -> ListPage {
    try ListReader(format: format, fields: fields).page(bytes, url: url)
  }
}

extension ListPage {
  /// A line for each thing that the page says.
  var rendered: String {
    (entries.map(\.rendered) + further.map { "further \($0)\n" }).joined()
  }
}

extension ListEntry {
  /// The key, and below it a line for each further field.
  var rendered: String {
    var lines = ["key \(key)", "  name \(name)", "  url \(url)"]
    lines += mirrors.map { "  mirror \($0)" }
    if let version { lines.append("  version \(version)") }
    if let updated {
      let fraction = updated.nanoseconds % 1_000_000_000
      lines.append("  updated \(updated.rfc3339)" + (fraction == 0 ? "" : " and \(fraction) ns"))
    }
    if let size { lines.append("  size \(size)") }
    lines += digests.map { "  \($0.algorithm.rawValue) \($0.value)" }
    if let entityTag { lines.append("  tag \(entityTag)") }
    if let title { lines.append("  title \(title)") }
    if isPrerelease { lines.append("  prerelease") }
    lines += others.map { "  \($0.name) = \($0.value)" }
    return lines.joined(separator: "\n") + "\n"
  }
}
