import SyncModel

@testable import Execution

extension PublishedSidecar {
  /// Lists inside a PGP clear-signed message.
  static let clearSignedLists: [PublishedSidecar] = [
    .init(
      "Fedora, CHECKSUM", .sha256, "Fedora-Server-dvd-x86_64-39-1.5.iso",
      clearSigned(
        "# Fedora-Server-dvd-x86_64-39-1.5.iso: 2475446272 bytes\n"
          + "SHA256 (Fedora-Server-dvd-x86_64-39-1.5.iso) = \(sha256)\n"
          + "# Fedora-Server-netinst-x86_64-39-1.5.iso: 710334464 bytes\n"
          + "SHA256 (Fedora-Server-netinst-x86_64-39-1.5.iso) = \(notSha256)\n")),
    .init(
      "kernel.org, sha256sums.asc", .sha256, "linux-6.6.8.tar.xz",
      clearSigned("\(notSha256)  linux-6.6.8.tar.gz\n\(sha256)  linux-6.6.8.tar.xz\n")),
    .init(
      "Node.js, SHASUMS256.txt.asc", .sha256, "node-v20.10.0.tar.gz",
      clearSigned("\(sha256)  node-v20.10.0.tar.gz\n\(notSha256)  win-x86/node.lib\n")),
    .init(
      "Gentoo, DIGESTS", .sha512, "stage3-amd64.tar.xz",
      clearSigned(
        "# BLAKE2B HASH\n\(notSha512)  stage3-amd64.tar.xz\n# SHA512 HASH\n\(sha512)  stage3-amd64.tar.xz\n",
        hash: "SHA512")),
    .init(
      "Helm chart, .prov", .sha256, "mychart-0.1.0.tgz",
      clearSigned(
        "apiVersion: v2\ndescription: A chart\nkeywords:\n- - one\nname: mychart\nversion: 0.1.0\n\n...\n"
          + "files:\n  mychart-0.1.0.tgz: sha256:\(sha256)\n", hash: "SHA512")),
    .init(
      "A clear-signed list with escaped dashes and CR LF", .sha256, "-odd.tar",
      clearSigned("- ---------- list ----------\n\(sha256) *-odd.tar\n").replacing("\n", with: "\r\n")),
    .init(
      "A clear-signed list with a dash that is not escaped", .sha256, "a", clearSigned("---\n\(sha256)  a\n"),
      is: .fault(.brokenFrame(line: 4, .dash))),
    .init(
      "A clear-signed list with a line before it", .sha256, "a",
      "\(notSha256)  a\n" + clearSigned("\(sha256)  a\n"),
      is: .fault(.brokenFrame(line: 1, .textOutside))),
    .init(
      "A clear-signed list with a line behind it", .sha256, "a",
      clearSigned("\(sha256)  a\n") + "\(notSha256)  a\n",
      is: .fault(.brokenFrame(line: 10, .textOutside))),
    .init(
      "A clear-signed list without the empty line", .sha256, "a",
      "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\(sha256)  a\n",
      is: .fault(.brokenFrame(line: 3, .header))),
    .init(
      "A clear-signed list that is cut off in the list", .sha256, "a",
      "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n\(sha256)  a\n",
      is: .fault(.brokenFrame(line: 5, .noSignature))),
    .init(
      "A clear-signed list that is cut off in the signature", .sha256, "a",
      String(clearSigned("\(sha256)  a\n").dropLast(30)), is: .fault(.brokenFrame(line: 8, .noEnd))),
  ]

  /// The output of `gpg --print-md` and `--print-mds`.
  static let byGPG: [PublishedSidecar] = [
    .init(
      "Apache Spark, .sha512", .sha512, "spark-3.5.0-bin-hadoop3.tgz",
      "spark-3.5.0-bin-hadoop3.tgz: "
        + grouped(sha512, by: 8, lines: 5, indent: 29) + "\n"),
    .init(
      "Apache, .sha512 of a long name", .sha512, "apache-something-incubating-1.0.0-src.tar.gz",
      "apache-something-incubating-1.0.0-src.tar.gz:\n "
        + grouped(sha512, by: 8, lines: 8, indent: 1) + "\n"),
    .init("Apache, .md5", .md5, "x-1.0.tar.gz", "x-1.0.tar.gz: \(grouped(md5, by: 2))\n"),
    .init("Apache, .sha1", .sha1, "x-1.0.tar.gz", "x-1.0.tar.gz: \(grouped(sha1, by: 4))\n"),
    .init(
      "Apache Hadoop 2, .mds", .sha256, "hadoop-2.7.3.tar.gz",
      "hadoop-2.7.3.tar.gz:    MD5 = \(grouped(notMd5, by: 2))\n"
        + "hadoop-2.7.3.tar.gz:   SHA1 = \(grouped(notSha1, by: 4))\n"
        + "hadoop-2.7.3.tar.gz: SHA256 = \(grouped(sha256, by: 8, lines: 4, indent: 30))\n"
        + "hadoop-2.7.3.tar.gz: SHA512 = \(grouped(notSha512, by: 8, lines: 4, indent: 30))\n"),
    .init("NAME: HEX without blanks", .sha256, "a.zip", "b.zip: \(notSha256)\na.zip: \(sha256)\n"),
  ]

  /// JSON, Metalink, Git LFS.
  static let documents: [PublishedSidecar] = [
    .init(
      "Zenodo, JSON", .md5, "data.csv",
      #"{"id": 1, "files": [{"key": "data.csv", "checksum": "md5:\#(md5)", "size": 9}]}"#,
      json: "/files/0/checksum"),
    .init(
      "Figshare, JSON", .md5, "1234", #"{"files": [{"name": "a.csv", "computed_md5": "\#(md5)"}]}"#,
      json: "/files/0/computed_md5"),
    .init(
      "PyPI, JSON", .sha256, "x-1.0-py3-none-any.whl",
      #"{"urls": [{"digests": {"md5": "\#(notMd5)", "sha256": "\#(sha256)"}}]}"#,
      json: "/urls/0/digests/sha256"),
    .init(
      "npm, JSON with an integrity", .sha512, "x-1.0.0.tgz",
      #"{"dist": {"shasum": "\#(notSha1)", "integrity": "sha512-\#(base64Sha512)"}}"#, json: "/dist/integrity"
    ),
    .init(
      "gnomAD, JSON of its bucket, md5 in base64", .md5, "gnomad.genomes.v4.1.sites.chr21.vcf.bgz",
      #"{"kind": "storage#object", "md5Hash": "H94WBcABGP7x7+nOk8YvgA==", "crc32c": "AAAAAA=="}"#,
      json: "/md5Hash", is: .fault(.notADigest(pointer: "/md5Hash"))),
    .init(
      "Python, sbom of a release, .spdx.json", .sha256, "Python-3.13.0.tgz",
      #"{"packages": [{"name": "CPython", "checksums": [{"algorithm": "SHA256", "checksumValue": "\#(sha256)"}]}]}"#,
      json: "/packages/0/checksums/0/checksumValue"),
    .init(
      "Python, API of the downloads, JSON", .md5, "python-3.12.0-amd64.exe",
      #"[{"name": "Windows installer (64-bit)", "md5_sum": "\#(md5)", "filesize": 9, "sha256_sum": ""}]"#,
      json: "/0/md5_sum"),
    .init(
      "Python, .sigstore bundle without a digest", .sha256, "Python-3.12.0.tgz",
      #"{"mediaType": "application/vnd.dev.sigstore.bundle+json;version=0.1", "messageSignature": {}}"#,
      is: .fault(.seems(.json))),
    .init(
      "Python, .sigstore bundle with its messageDigest", .sha256, "Python-3.12.0.tgz",
      #"{"messageSignature": {"messageDigest": {"algorithm": "SHA2_256", "digest": "\#(base64Sha256)"}}}"#,
      json: "/messageSignature/messageDigest/digest",
      is: .fault(.notADigest(pointer: "/messageSignature/messageDigest/digest"))),
    .init(
      "PHP, JSON", .sha256, "php-8.3.0.tar.xz",
      #"{"8.3.0": {"source": [{"sha256": "\#(notSha256)"}, {"sha256": "\#(sha256)"}]}}"#,
      json: "/8.3.0/source/1/sha256"),
    .init(
      "Go, JSON", .sha256, "go1.22.0.linux-amd64.tar.gz",
      #"[{"version": "go1.22.0", "files": [{"sha256": "\#(sha256)"}]}]"#, json: "/0/files/0/sha256"),
    .init(
      "crates.io, JSON", .sha256, "download", #"{"version": {"checksum": "\#(sha256)"}}"#,
      json: "/version/checksum"),
    .init(
      "GitHub API, JSON", .sha256, "tool.zip",
      #"{"assets": [{"name": "tool.zip", "digest": "sha256:\#(sha256)"}]}"#,
      json: "/assets/0/digest"),
    .init(
      "Homebrew, JSON", .sha256, "wget.tar.gz",
      #"{"bottle": {"stable": {"files": {"x86_64_linux": {"sha256": "\#(sha256)"}}}}}"#,
      json: "/bottle/stable/files/x86_64_linux/sha256"),
    .init(
      "Julia, versions.json", .sha256, "julia.tar.gz",
      #"{"1.10.0": {"files": [{"sha256": "\#(sha256)"}], "stable": true}}"#,
      json: "/1.10.0/files/0/sha256"),
    .init(
      "Zig, index.json", .sha256, "zig.tar.xz",
      #"{"0.11.0": {"x86_64-linux": {"shasum": "\#(sha256)", "size": "1"}}}"#,
      json: "/0.11.0/x86_64-linux/shasum"),
    .init(
      "conda, repodata.json with a slash in a key", .sha256, "x.conda",
      #"{"noarch/x.conda": {"sha256": "\#(sha256)"}}"#,
      json: "/noarch~1x.conda/sha256"),
    .init(
      "UniProt, RELEASE.metalink", .md5, "uniprot_sprot.fasta.gz",
      """
      <?xml version="1.0" encoding="utf-8"?>
      <metalink version="3.0" xmlns="http://www.metalinker.org/">
      <files><file name="README"><verification><hash type="md5">\(notMd5)</hash></verification></file>
      <file name="uniprot_sprot.fasta.gz"><size>9</size><verification><hash type="md5">\(md5)</hash></verification>
      <resources><url type="ftp">ftp://example.org/x</url></resources></file></files></metalink>
      """),
    .init(
      "Qt by MirrorBrain, .meta4", .sha256, "qt.tar.xz",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="qt.tar.xz"><size>9</size>
      <hash type="md5">\(md5)</hash><hash type="sha-1">\(sha1)</hash><hash type="sha-256">\(sha256)</hash>
      <pieces length="9" type="sha-1"><hash>\(notSha1)</hash></pieces></file></metalink>
      """),
    .init(
      "openSUSE, .meta4 with a dated name", .sha1, "Leap-Current.iso",
      "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"Leap-Build1.iso\">"
        + "<hash type=\"sha-1\">\(sha1)</hash></file></metalink>"),
    .init(
      "A Metalink with a DOCTYPE", .md5, "a", "<!DOCTYPE x [<!ENTITY a \"\(md5)\">]><metalink>&a;</metalink>",
      is: .fault(.hasDoctype)),
    .init(
      "A Metalink that is cut off", .md5, "a", "<metalink>\n<file name=\"a\">",
      is: .fault(.brokenXML(line: 2, text: "no element found"))),
    .init(
      "Hugging Face, a pointer of Git LFS", .sha256, "model.safetensors",
      "version https://git-lfs.github.com/spec/v1\noid sha256:\(sha256)\nsize 1234\n"),
  ]

  /// Forms of one publisher each.
  static let otherForms: [PublishedSidecar] = [
    .init(
      "NVD, .meta", .sha256, "nvdcve-2.0-modified.json.gz",
      "lastModifiedDate:2024-01-01T00:00:00-05:00\r\nsize:123456\r\nzipSize:23456\r\ngzSize:23444\r\n"
        + "sha256:\(sha256.uppercased())\r\n"),
    .init("Docker, sha256:HEX", .sha256, "layer", "sha256:\(sha256)\n"),
    .init("sha256:HEX before a name", .sha256, "a", "sha256:\(notSha256)  b\nsha256:\(sha256)  a\n"),
    .init("npm, an integrity alone", .sha512, "x.tgz", "sha512-\(base64Sha512)\n"),
    .init(
      "HTML's integrity with two algorithms", .sha256, "x.js",
      "sha512-\(base64Sha512) sha256-\(base64Sha256)\n"),
    .init(
      "ripgrep, certutil", .sha256, "ripgrep-14.1.0-x86_64-pc-windows-gnu.zip",
      "SHA256 hash of ripgrep-14.1.0-x86_64-pc-windows-gnu.zip:\r\n\(sha256)\r\n"
        + "CertUtil: -hashfile command completed successfully.\r\n"),
    .init(
      "certutil of Windows 7, with blanks and a path", .md5, "a.zip",
      "MD5 hash of file C:\\build\\a.zip:\r\n\(grouped(md5, by: 2).lowercased())\r\n"
        + "CertUtil: -hashfile command completed successfully.\r\n"),
    .init("A heading above a list", .sha256, "a", "SHA256:\n\(sha256)  a\n\(notSha256)  b\n"),
  ]

  /// Files without digests, and their kinds.
  static let unusable: [PublishedSidecar] = [
    .init(
      "Ensembl, CHECKSUMS by sum", .md5, "Homo_sapiens.GRCh38.cdna.all.fa.gz",
      "55610 198719 Homo_sapiens.GRCh38.cdna.all.fa.gz\n01234 1 README\n", is: .fault(.seems(.sum))),
    .init(
      "POSIX cksum", .md5, "a.tar", "4038471504 75 a.tar\n3015617425 6 b.tar\n", is: .fault(.seems(.cksum))),
    .init(
      "LibreOffice, .mirrorlist, a page", .sha256, "a", "<!DOCTYPE html>\n<html><body>Mirrors</body></html>",
      is: .fault(.seems(.html))),
    .init("An RSS feed", .sha256, "a", "<?xml version=\"1.0\"?><rss></rss>", is: .fault(.seems(.xml))),
    .init(
      "PyPI, JSON without a pointer", .sha256, "a", "{\"sha256\": \"\(sha256)\"}", is: .fault(.seems(.json))),
    .init(
      "nginx, .asc", .sha256, "nginx-1.25.3.tar.gz",
      "-----BEGIN PGP SIGNATURE-----\n\niQEzBAABCAAdFiEE\n=abcd\n-----END PGP SIGNATURE-----\n",
      is: .fault(.seems(.pgpSignature))),
    .init(
      "GNU, .sig", .sha256, "a.tar.xz", bytes: [0x89, 0x02, 0x33, 0x04, 0x00, 0x01, 0x08, 0x00, 0xFF, 0xFE],
      is: .fault(.seems(.pgpSignature))),
    .init(
      "Zig, .minisig", .sha256, "zig.tar.xz",
      "untrusted comment: signature from minisign secret key\nRUSG\ntrusted comment: timestamp:1\nAAAA\n",
      is: .fault(.seems(.minisignSignature))),
    .init(
      "Git and others, ssh-keygen -Y", .sha256, "a",
      "-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----\n",
      is: .fault(.seems(.sshSignature))),
    .init(
      "A certificate", .sha256, "a", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
      is: .fault(.seems(.pem))),
    .init(
      "A time stamp, .tsr", .sha256, "a", bytes: [0x30, 0x82, 0x15, 0x01, 0x00, 0xFF],
      is: .fault(.seems(.der))),
    .init(
      "The file itself", .sha256, "a.gz", bytes: [0x1F, 0x8B, 0x08, 0x00, 0x01], is: .fault(.seems(.packed))),
    .init("An empty file", .sha256, "a", "\n", is: .fault(.empty)),
    .init("A message", .sha256, "a", "Error: not found\n", is: .fault(.noDigest)),
    .init("A sentence", .sha256, "a", "Not found\n", is: .fault(.unreadableLine(number: 1))),
    .init("Keys and values without a digest", .sha256, "a", "version:1\nsize:123\n", is: .fault(.noDigest)),
    .init(
      "Apache, .sha512 taken for sha256", .sha256, "a", "\(sha512) *a\n",
      is: .fault(.wrongLength(expected: 64, actual: 128))),
    .init(
      "A digest that is cut off", .sha256, "a", "\(sha256.dropLast())  a\n",
      is: .fault(.wrongLength(expected: 64, actual: 63))),
    .init(
      "A list in which one name has two digests", .sha256, "a", "\(sha256)  a\n\(notSha256)  a\n",
      is: .fault(.ambiguous(name: "a"))),
    .init(
      "A list of other files", .sha256, "a", "\(sha256)  b\n\(notSha256)  c\n",
      is: .fault(.noEntry(name: "a", count: 2))),
    .init(
      "A pattern that matches two names", .sha256, "a", "\(sha256)  x-1.zip\n\(sha256)  x-2.zip\n",
      entry: "x-?.zip",
      is: .fault(.severalEntries(name: "x-?.zip", count: 2))),
    .init(
      "A pattern that matches no name, though there is one line", .sha256, "a", "\(sha256)  a\n", entry: "b*",
      is: .fault(.noEntry(name: "b*", count: 1))),
    .init("JSON that is cut off", .sha256, "a", "{\n\"a\": ", json: "/a", is: .fault(.brokenJSON(line: 2))),
    .init(
      "JSON without the value", .sha256, "a", "{\"a\": []}", json: "/a/0",
      is: .fault(.noValue(pointer: "/a/0"))),
    .init(
      "JSON with a number", .sha256, "a", "{\"a\": 12}", json: "/a", is: .fault(.notADigest(pointer: "/a"))),
    .init(
      "JSON with one key twice", .sha256, "a", "{\"a\": \"\(sha256)\", \"a\": \"\(notSha256)\"}", json: "/a",
      is: .fault(.ambiguous(name: "/a"))),
    .init("A page for a JSON document", .sha256, "a", "<html>", json: "/a", is: .fault(.seems(.html))),
  ]
}
