import Foundation
import SyncTestSupport

/// Registries of packages, and publishers that describe their files in a document.
extension Recipe {
  // MARK: PyPI

  private static let package = "/pypi/requests/json"

  static let pypi = Recipe(
    name: "pypi", address: "https://pypi.org",
    publish: { edition, publisher in
      let version = "2.32.\(edition.number)"
      let kept = ["src/requests/__init__.py", "src/requests/api.py", "LICENSE"]
      func packed(_ content: (String) -> [UInt8]) throws -> [UInt8] {
        let names = kept + ["tests/test_requests.py", "PKG-INFO"]
        return try TestArchives.make(
          "tar.gz", names.enumerated().map { "requests-\(version)/\($1)=\($0)" },
          files: Dictionary(uniqueKeysWithValues: names.enumerated().map { ("\($0)", content($1)) }))
      }
      let source = try packed(edition.content)
      let files = [
        ("requests-\(version)-py3-none-any.whl", Array("wheel".utf8), Array("wheel".utf8)),
        ("requests-\(version).tar.gz", source, try packed(edition.arriving)),
      ]
      let rows = try files.map { name, published, arriving in
        let sum = try TestData.digest("sha256", published)
        let path = "/packages/f9/9b/\(sum.suffix(60))/\(name)"
        publisher.store.on(path, .file(arriving, etag: "\"\(sum.prefix(32))\""))
        return #"{"comment_text": null, "digests": {"blake2b_256": "\#(sum)", "md5": "\#(sum.prefix(32))", "#
          + #""sha256": "\#(sum)"}, "downloads": -1, "filename": "\#(name)", "packagetype": "sdist", "#
          + #""size": \#(published.count), "url": "\#(publisher.storeURL(path))", "yanked": false}"#
      }
      let info = #""info": {"name": "requests", "version": "\#(version)"}"#
      publisher.serve(package, "{\(info), \"urls\": [\(rows.joined(separator: ", "))]}", edition)
      return Dictionary(uniqueKeysWithValues: kept.map { ("vendor/requests/\($0)", edition.content($0)) })
    },
    confirmations: [package])

  // MARK: npm

  static let npmPackage = Recipe(
    name: "npm-package", address: "https://registry.npmjs.org",
    publish: { edition, publisher in
      let version = "7.9.\(edition.number)"
      let kept = ["dist/d3.js", "dist/d3.min.js", "LICENSE"]
      func packed(_ content: (String) -> [UInt8]) throws -> [UInt8] {
        let names = kept + ["src/index.js", "package.json"]
        return try TestArchives.make(
          "tar.gz", names.enumerated().map { "package/\($1)=\($0)" },
          files: Dictionary(uniqueKeysWithValues: names.enumerated().map { ("\($0)", content($1)) }))
      }
      let sum = try TestData.digest("sha512", packed(edition.content))
      let text =
        #"{"name": "d3", "version": "\#(version)", "dist": {"integrity": "sha512-\#(base64(sum))", "#
        + #""shasum": "\#(sum.prefix(40))", "tarball": "https://registry.npmjs.org/d3/-/d3-\#(version).tgz"}}"#
      publisher.serve("/d3/latest", text, edition)
      publisher.serve("/d3/-/d3-\(version).tgz", try packed(edition.arriving), edition)
      return Dictionary(uniqueKeysWithValues: kept.map { ("vendor/d3/\($0)", edition.content($0)) })
    },
    confirmations: ["/d3/latest"])

  /// The bytes of hexadecimal digits.
  private static func base64(_ digits: String) -> String {
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(digits.dropFirst($0).prefix(2), radix: 16)
    }
    return Data(bytes).base64EncodedString()
  }

  // MARK: Maven Central

  private static let driver = "/maven2/org/xerial/sqlite-jdbc"

  static let mavenCentral = Recipe(
    name: "maven-central", address: "https://repo1.maven.org",
    publish: { edition, publisher in
      let release = "3.50.\(edition.number).0"
      let jar = "\(driver)/\(release)/sqlite-jdbc-\(release).jar"
      publisher.serve(
        "\(driver)/maven-metadata.xml",
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <metadata>
          <groupId>org.xerial</groupId>
          <artifactId>sqlite-jdbc</artifactId>
          <versioning>
            <latest>\(release)</latest>
            <release>\(release)</release>
            <lastUpdated>\(edition.day)091500</lastUpdated>
          </versioning>
        </metadata>

        """, edition)
      publisher.serve(jar, edition.arriving("jar"), edition)
      // Only the digits, without a newline.
      publisher.serve("\(jar).sha1", try TestData.digest("sha1", edition.content("jar")), edition)
      return ["lib/sqlite-jdbc.jar": edition.content("jar")]
    },
    confirmations: ["\(driver)/maven-metadata.xml"])

  // MARK: Zenodo

  private static let record = "/api/records/5502543"

  static let zenodo = Recipe(
    name: "zenodo", address: "https://zenodo.org",
    publish: { edition, publisher in
      var outputs: [String: [UInt8]] = [:]
      var rows: [String] = []
      for name in ["g_jets.csv", "t_jets.csv", "README.md"] {
        let path = "\(record)/files/\(name)/content"
        let sum = try TestData.digest("md5", edition.content(name))
        publisher.serve(path, edition.arriving(name), edition)
        rows.append(
          #"{"id": "\#(sum.prefix(8))", "key": "\#(name)", "size": \#(edition.content(name).count), "#
            + #""checksum": "md5:\#(sum)", "links": {"self": "\#(publisher.server.url(path))"}}"#)
        if name.hasSuffix(".csv") { outputs["jets/\(name)"] = edition.content(name) }
      }
      publisher.serve(record, #"{"id": 5502543, "files": [\#(rows.joined(separator: ", "))]}"#, edition)
      return outputs
    },
    confirmations: [record])

  // MARK: UniProt

  private static let complete = "/pub/databases/uniprot/current_release/knowledgebase/complete"

  static let uniprot = Recipe(
    name: "uniprot", address: "https://ftp.uniprot.org",
    publish: { edition, publisher in
      let file = "uniprot_sprot.fasta.gz"
      let packed = try TestData.gzip(edition.content(file))
      var files = ""
      for name in ["uniprot_sprot.dat.gz", file, "uniprot_sprot_varsplic.fasta.gz"] {
        let sum = try TestData.digest("md5", name == file ? packed : edition.content(name))
        files += """
              <file name="\(name)">
                <size>\(packed.count)</size>
                <verification><hash type="md5">\(sum)</hash></verification>
                <resources maxconnections="1">
                  <url location="ch" type="ftp" preference="100">ftp://ftp.uniprot.org\(complete)/\(name)</url>
                  <url location="uk" type="ftp" preference="100">ftp://ftp.ebi.ac.uk\(complete)/\(name)</url>
                </resources>
              </file>

          """
      }
      publisher.serve(
        "\(complete)/RELEASE.metalink",
        """
        <?xml version="1.0" encoding="utf-8"?>
        <metalink version="3.0" xmlns="http://www.metalinker.org/" type="dynamic">
          <publisher><name>UniProt</name><url>https://www.uniprot.org</url></publisher>
          <version>2026_0\(edition.number)</version>
          <files>
        \(files)  </files>
        </metalink>

        """, edition)
      publisher.serve("\(complete)/\(file)", try TestData.gzip(edition.arriving(file)), edition)
      return ["uniprot/swiss-prot.fasta": edition.content(file)]
    },
    confirmations: ["\(complete)/RELEASE.metalink"])

  // MARK: Node.js

  private static let latest = "/dist/latest-v22.x"

  static let nodejs = Recipe(
    name: "nodejs", address: "https://nodejs.org",
    publish: { edition, publisher in
      let version = "v22.2\(edition.number).0"
      let kept = ["bin/node", "lib/node_modules/npm/package.json"]
      func packed(_ content: (String) -> [UInt8]) throws -> [UInt8] {
        let names = kept + ["README.md", "include/node/node.h"]
        return try TestArchives.make(
          "tar.xz", names.enumerated().map { "node-\(version)-linux-x64/\($1)=\($0)" },
          files: Dictionary(uniqueKeysWithValues: names.enumerated().map { ("\($0)", content($1)) }))
      }
      let sum = try TestData.digest("sha256", packed(edition.content))
      let other = try TestData.digest("sha256", Array(version.utf8))
      let names = [
        "aix-ppc64.tar.gz", "linux-arm64.tar.xz", "linux-x64.tar.gz", "linux-x64.tar.xz", "x64.msi",
      ]
      let lines = names.map { "\($0 == "linux-x64.tar.xz" ? sum : other)  node-\(version)-\($0)\n" }
      publisher.serve("\(latest)/SHASUMS256.txt", lines.joined(), edition)
      publisher.serve("\(latest)/node-\(version)-linux-x64.tar.xz", try packed(edition.arriving), edition)
      return Dictionary(uniqueKeysWithValues: kept.map { ("node/\($0)", edition.content($0)) })
    },
    confirmations: ["\(latest)/SHASUMS256.txt"])

  // MARK: The European Central Bank

  private static let rates = "/stats/eurofxref/eurofxref-hist.zip"

  static let exchangeRates = Recipe(
    name: "ecb-rates", address: "https://www.ecb.europa.eu",
    publish: { edition, publisher in
      let table = edition.content("eurofxref-hist.csv")
      let zip = try TestArchives.make("zip", ["eurofxref-hist.csv=table"], files: ["table": table])
      publisher.serve(rates, edition.isDamaged ? Array(zip.dropLast(20)) : zip, edition)
      return ["rates/eurofxref-hist.csv": table]
    },
    confirmations: [rates], refusal: "archive-corrupt")
}
