import SyncTestSupport

/// Publishers of lists and tables.
extension Recipe {
  static let curlBundle = Recipe(
    name: "curl-ca-bundle", address: "https://curl.se",
    publish: { edition, publisher in
      let bundle = edition.content("cacert.pem")
      publisher.serve("/ca/cacert.pem", edition.arriving("cacert.pem"), edition)
      publisher.serve(
        "/ca/cacert.pem.sha256", "\(try TestData.digest("sha256", bundle))  cacert.pem\n", edition)
      return ["certs/cacert.pem": bundle]
    },
    confirmations: ["/ca/cacert.pem"])

  /// There is no digest: a damaged file is truncated.
  static let publicSuffixList = Recipe(
    name: "public-suffix-list", address: "https://publicsuffix.org",
    publish: { edition, publisher in
      let list = edition.content("public_suffix_list.dat")
      let reply = Reply.file(list, etag: edition.etag(list), lastModified: edition.date)
      publisher.server.on("/list/public_suffix_list.dat", edition.isDamaged ? reply.cut(after: 1) : reply)
      return ["public_suffix_list.dat": list]
    },
    confirmations: ["/list/public_suffix_list.dat"], refusal: "truncated")

  private static let registryNames = ["afrinic", "apnic", "arin", "lacnic", "ripencc"]

  private static func statistics(_ registry: String) -> String {
    "/pub/stats/\(registry)/delegated-\(registry)-extended-latest"
  }

  static let registries = Recipe(
    name: "rir-statistics", address: "https://ftp.ripe.net",
    publish: { edition, publisher in
      var outputs: [String: [UInt8]] = [:]
      for registry in registryNames {
        let file = edition.content(registry)
        let sum = try TestData.digest("md5", file)
        // Only ARIN writes the other form and the dated name. The others end without a newline.
        let line =
          registry == "arin"
          ? "\(sum)  delegated-arin-extended-\(edition.day)\n"
          : "MD5 (delegated-\(registry)-extended-latest) = \(sum)"
        publisher.serve(statistics(registry), edition.arriving(registry), edition)
        publisher.serve("\(statistics(registry)).md5", line, edition)
        outputs["delegated/\(registry).txt"] = file
      }
      return outputs
    },
    confirmations: registryNames.map { "\(statistics($0)).md5" })

  static let vulnerabilities = Recipe(
    name: "nvd-feeds", address: "https://nvd.nist.gov",
    publish: { edition, publisher in
      var outputs: [String: [UInt8]] = [:]
      for feed in ["recent", "modified"] {
        let path = "/feeds/json/cve/2.0/nvdcve-2.0-\(feed)"
        let json = edition.content(feed)
        let packed = try TestData.gzip(edition.arriving(feed))
        let meta = """
          lastModifiedDate:2026-01-0\(edition.number)T03:00:00-05:00\r
          size:\(json.count)\r
          zipSize:\(packed.count + 120)\r
          gzSize:\(packed.count)\r
          sha256:\(try TestData.digest("sha256", json).uppercased())\r

          """
        publisher.serve("\(path).json.gz", packed, edition)
        publisher.serve("\(path).meta", meta, edition)
        outputs["nvd/\(feed).json"] = json
      }
      return outputs
    },
    confirmations: ["recent", "modified"].map { "/feeds/json/cve/2.0/nvdcve-2.0-\($0).meta" })

  private static let dumps = "/simplewiki/latest/simplewiki-latest-"

  static let encyclopedia = Recipe(
    name: "wikipedia-dump", address: "https://dumps.wikimedia.org",
    publish: { edition, publisher in
      let xml = edition.content("pages-articles.xml")
      // The list names the dated files; some names differ only at their ends.
      let files = [
        ("abstract.xml.gz", try TestData.gzip(xml)), ("pages-articles.xml.bz2", try TestData.bzip2(xml)),
        ("pages-articles-multistream.xml.bz2", xml), ("pages-articles-multistream-index.txt.bz2", xml),
      ]
      let lines = try files.map { name, bytes in
        "\(try TestData.digest("sha1", bytes))  simplewiki-\(edition.day)-\(name)\n"
      }
      publisher.serve("\(dumps)sha1sums.txt", lines.joined(), edition)
      publisher.serve(
        "\(dumps)pages-articles.xml.bz2", try TestData.bzip2(edition.arriving("pages-articles.xml")), edition)
      return ["wikipedia/simplewiki.xml": xml]
    },
    confirmations: ["\(dumps)sha1sums.txt"])
}
