import SyncModel

@testable import Execution

extension PublishedSidecar {
  /// The shapes in which publishers give digests, one row for each.
  static let all: [PublishedSidecar] =
    lists + bsdLists + singleDigests + clearSignedLists + byGPG + documents + otherForms + unusable

  /// `HEX  NAME` and `HEX *NAME`.
  private static let lists: [PublishedSidecar] = [
    .init(
      "Debian, SHA512SUMS", .sha512, "debian-12.1.0-amd64-netinst.iso",
      "\(notSha512)  debian-12.1.0-amd64-DVD-1.iso\n\(sha512)  debian-12.1.0-amd64-netinst.iso\n"),
    .init(
      "Ubuntu, SHA256SUMS", .sha256, "ubuntu-24.04-live-server-amd64.iso",
      "\(notSha256) *ubuntu-24.04-desktop-amd64.iso\n\(sha256) *ubuntu-24.04-live-server-amd64.iso\n"),
    .init(
      "Ubuntu cloud images, SHA256SUMS", .sha256, "noble-server-cloudimg-amd64.img",
      "\(sha256) *noble-server-cloudimg-amd64.img\n\(notSha256) *noble-server-cloudimg-arm64.img\n"),
    .init(
      "Arch Linux, sha256sums.txt", .sha256, "archlinux-x86_64.iso",
      "\(notSha256)  archlinux-2024.01.01-x86_64.iso\n\(sha256)  archlinux-x86_64.iso\n"),
    .init(
      "Alpine Linux, .sha256", .sha256, "alpine-standard-3.19.0-x86_64.iso",
      "\(sha256)  alpine-standard-3.19.0-x86_64.iso\n"),
    .init(
      "Kali Linux, SHA256SUMS", .sha256, "kali-linux-2023.4-installer-amd64.iso",
      "\(notSha256)  kali-linux-2023.4-installer-arm64.iso\n\(sha256)  kali-linux-2023.4-installer-amd64.iso\n"
    ),
    .init(
      "Raspberry Pi, .sha256", .sha256, "2023-12-05-raspios-bookworm-arm64-lite.img.xz",
      "\(sha256)  2023-12-05-raspios-bookworm-arm64-lite.img.xz\n"),
    .init(
      "Proxmox, SHA256SUMS", .sha256, "proxmox-ve_8.1-1.iso",
      "\(sha256)  proxmox-ve_8.1-1.iso\n\(notSha256)  proxmox-ve_8.1-2.iso\n"),
    .init(
      "Slackware, CHECKSUMS.md5", .md5, "ANNOUNCE.15_0",
      """
      These are the MD5 message digests for the files in this directory.
      If you want to test your files, use 'md5sum' and compare the values to
      the ones listed here.

      To test all these files, use this command:

      tail +13 CHECKSUMS.md5 | md5sum -c --quiet - | less

      MD5 message digest                Filename
      \(md5)  ./ANNOUNCE.15_0
      \(notMd5)  ./a/aaa_base-15.0-x86_64-3.txz

      """),
    .init(
      "Gentoo, DIGESTS inside", .sha512, "install-amd64-minimal.iso",
      """
      # BLAKE2B HASH
      \(notSha512)  install-amd64-minimal.iso
      # SHA512 HASH
      \(sha512)  install-amd64-minimal.iso

      """),
    .init(
      "GNU GCC, sha512.sum", .sha512, "gcc-13.2.0.tar.xz",
      "\(notSha512)  gcc-13.2.0.tar.gz\n\(sha512)  gcc-13.2.0.tar.xz\n"),
    .init(
      "Node.js, SHASUMS256.txt", .sha256, "node-v20.10.0-linux-x64.tar.xz",
      "\(notSha256)  win-x64/node.exe\n\(sha256)  node-v20.10.0-linux-x64.tar.xz\n"),
    .init(
      "Rust, .sha256", .sha256, "rust-1.75.0-x86_64-unknown-linux-gnu.tar.xz",
      "\(sha256)  rust-1.75.0-x86_64-unknown-linux-gnu.tar.xz\n"),
    .init("rustup, .sha256", .sha256, "rustup-init", "\(sha256) *./rustup-init\n"),
    .init("Apache httpd, .sha512", .sha512, "httpd-2.4.58.tar.gz", "\(sha512) *httpd-2.4.58.tar.gz\n"),
    .init("Apache Maven, old .md5 with a path", .md5, "x-1.0.jar", "\(md5)  /home/build/target/x-1.0.jar\n"),
    .init("Maven Central, .sha1 of standard input", .sha1, "x-1.0.pom", "\(sha1)  -\n"),
    .init(
      "HashiCorp Terraform, SHA256SUMS", .sha256, "terraform_1.6.0_linux_amd64.zip",
      "\(notSha256)  terraform_1.6.0_darwin_arm64.zip\n\(sha256)  terraform_1.6.0_linux_amd64.zip\n"),
    .init(
      "GitHub releases by goreleaser, checksums.txt", .sha256, "tool_1.2.3_linux_amd64.tar.gz",
      "\(notSha256)  tool_1.2.3_darwin_all.tar.gz\n\(sha256)  tool_1.2.3_linux_amd64.tar.gz\n"),
    .init(
      "Helm, .sha256sum", .sha256, "helm-v3.13.0-linux-amd64.tar.gz",
      "\(sha256)  helm-v3.13.0-linux-amd64.tar.gz\n"),
    .init(
      "Prometheus, sha256sums.txt", .sha256, "prometheus-2.48.0.linux-amd64.tar.gz",
      "\(notSha256)  prometheus-2.48.0.linux-arm64.tar.gz\n\(sha256)  prometheus-2.48.0.linux-amd64.tar.gz\n"),
    .init(
      "Elastic, .sha512", .sha512, "elasticsearch-8.11.3-linux-x86_64.tar.gz",
      "\(sha512)  elasticsearch-8.11.3-linux-x86_64.tar.gz"),
    .init(
      "NCBI genomes, md5checksums.txt", .md5, "GCF_000001405.40_GRCh38.p14_genomic.fna.gz",
      "\(notMd5)  ./GCF_000001405.40_GRCh38.p14_assembly_report.txt\n"
        + "\(md5)  ./GCF_000001405.40_GRCh38.p14_genomic.fna.gz\n"),
    .init(
      "NCBI ClinVar, .md5", .md5, "clinvar.vcf.gz",
      "\(md5)  /panfs/pan1/clinvar/ftp_test/vcf_GRCh38/clinvar_20240107.vcf.gz\n"),
    .init("NCBI BLAST, .md5", .md5, "nt.000.tar.gz", "\(md5)  nt.000.tar.gz\n"),
    .init(
      "UCSC, md5sum.txt", .md5, "hg38.fa.gz",
      "\(notMd5)  hg38.2bit\n\(md5)  hg38.fa.gz\n\(notMd5)  hg38.fa.masked.gz\n"),
    .init(
      "ChEMBL, checksums.txt", .sha256, "chembl_34_chemreps.txt.gz",
      "\(notSha256)  chembl_34.fa.gz\n\(sha256)  chembl_34_chemreps.txt.gz\n"),
    .init(
      "GTDB, MD5SUM.txt", .md5, "bac120_taxonomy.tsv.gz",
      "\(notMd5)  ./VERSION.txt\n\(md5)  ./bac120_taxonomy.tsv.gz\n"),
    .init(
      "wwPDB, chemical components, .md5", .md5, "components.cif.gz", "\(md5)  components.cif.gz\n"),
    .init(
      "RCSB PDB, sequences, md5sums.txt", .md5, "pdb_seqres.txt.gz",
      "\(notMd5)  derived_data/index/entries.idx\n\(md5)  derived_data/pdb_seqres.txt.gz\n"),
    .init(
      "1000 Genomes, .md5 of a VCF", .md5, "ALL.chr22.phase3.genotypes.vcf.gz",
      "\(md5)  ALL.chr22.phase3.genotypes.vcf.gz\n"),
    .init(
      "1000 Genomes, MANIFEST.txt with a path, a digest and a size in columns", .md5, "HG00096.final.cram",
      "data/HG00096.final.cram\t\(md5)\t15603840000\n", is: .fault(.unreadableLine(number: 1))),
    .init(
      "gnomAD, md5sums of a release", .md5, "gnomad.exomes.v4.1.sites.chr21.vcf.bgz",
      "\(notMd5)  gnomad.exomes.v4.1.sites.chr21.vcf.bgz.tbi\n\(md5)  gnomad.exomes.v4.1.sites.chr21.vcf.bgz\n"
    ),
    .init(
      "Python, MD5 of a release's page, old .md5", .md5, "Python-2.7.18.tgz", "\(md5)  Python-2.7.18.tgz\n"),
    .init("Geofabrik, .md5", .md5, "germany-latest.osm.pbf", "\(md5)  germany-latest.osm.pbf\n"),
    .init("OpenStreetMap planet, .md5", .md5, "planet-latest.osm.pbf", "\(md5)  planet-240101.osm.pbf\n"),
    .init(
      "Wikimedia dumps, sha1sums.txt with dated names", .sha1, "enwiki-latest-pages-articles.xml.bz2",
      "\(notSha1)  enwiki-20240101-pages-articles1.xml.bz2\n\(sha1)  enwiki-20240101-pages-articles.xml.bz2\n",
      entry: "enwiki-*-pages-articles.xml.bz2"),
    .init(
      "CRAN, R for Windows, md5sum.txt", .md5, "R-4.3.2-win.exe", "\(md5) *R-4.3.2-win.exe\n"),
    .init(
      "Julia, .sha256", .sha256, "julia-1.10.0-linux-x86_64.tar.gz",
      "\(notSha256)  julia-1.10.0-full.tar.gz\n\(sha256)  julia-1.10.0-linux-x86_64.tar.gz\n"),
    .init(
      "LibreOffice, .sha256", .sha256, "LibreOffice_7.6.4_Linux_x86-64_deb.tar.gz",
      "\(sha256)  LibreOffice_7.6.4_Linux_x86-64_deb.tar.gz\n"),
    .init("VLC, .sha256", .sha256, "vlc-3.0.20-win64.exe", "\(sha256) *vlc-3.0.20-win64.exe\n"),
    .init(
      "Blender, .sha256", .sha256, "blender-4.0.2-linux-x64.tar.xz",
      "\(sha256)  blender-4.0.2-linux-x64.tar.xz\n\(notSha256)  blender-4.0.2-macos-arm64.dmg\n"),
    .init(
      "Qt, md5sums.txt", .md5, "qt-everywhere-src-6.6.1.tar.xz",
      "\(notMd5)  qt-everywhere-src-6.6.1.zip\n\(md5)  qt-everywhere-src-6.6.1.tar.xz\n"),
    .init(
      "openSUSE, .sha256 with a dated name", .sha256, "openSUSE-Leap-15.5-DVD-x86_64-Current.iso",
      "\(sha256)  openSUSE-Leap-15.5-DVD-x86_64-Build491.1-Media.iso\n"),
    .init(
      "MusicBrainz, SHA256SUMS", .sha256, "mbdump.tar.bz2",
      "\(notSha256) *mbdump-derived.tar.bz2\n\(sha256) *mbdump.tar.bz2\n"),
    .init(
      "MaxMind, .sha256 of a dated name", .sha256, "download", "\(sha256)  GeoLite2-City_20240102.tar.gz\n"),
    .init("curl, cacert.pem.sha256", .sha256, "cacert.pem", "\(sha256)  cacert.pem\n"),
    .init(
      "Mozilla, SHA256SUMS with one name in many folders", .sha256, "firefox-120.0.tar.bz2",
      "\(notSha256)  linux-x86_64/de/firefox-120.0.tar.bz2\n\(sha256)  linux-x86_64/en-US/firefox-120.0.tar.bz2\n",
      entry: "linux-x86_64/en-US/firefox-*.tar.bz2"),
    .init("OpenSSL, .sha256", .sha256, "openssl-3.2.0.tar.gz", "\(sha256) *openssl-3.2.0.tar.gz\n"),
    .init("PostgreSQL, .md5", .md5, "postgresql-16.1.tar.bz2", "\(md5)  postgresql-16.1.tar.bz2\n"),
    .init("JetBrains, .sha256", .sha256, "ideaIC-2023.3.tar.gz", "\(sha256) *ideaIC-2023.3.tar.gz"),
    .init(
      "Adoptium, .sha256.txt", .sha256, "OpenJDK21U-jdk_x64_linux.tar.gz",
      "\(sha256)  OpenJDK21U-jdk_x64_linux.tar.gz\n"),
    .init(
      "TeX Live, .sha512", .sha512, "install-tl-unx.tar.gz", "\(sha512)  install-tl-unx.tar.gz\n"),
    .init("Kiwix, .sha256", .sha256, "wikipedia_en_all.zim", "\(sha256)  wikipedia_en_all_2024-01.zim\n"),
    .init(
      "Several algorithms in one list", .sha1, "tool.zip",
      "\(md5)  tool.zip\n\(sha1)  tool.zip\n\(sha256)  tool.zip\n"),
    .init(
      "A list made on Windows", .md5, "Setup.exe",
      "; made by md5summer\r\n\r\n\(md5.uppercased()) *Setup.exe\r\n"),
    .init(
      "A list that begins with a byte order mark", .sha256, "a.zip",
      "\u{FEFF}\(sha256)  a.zip\n\(notSha256)  b.zip\n"),
    .init(
      "PowerShell's redirection, UTF-16 with a byte order mark", .sha256, "a.zip",
      bytes: [0xFF, 0xFE] + "\(sha256)  a.zip\r\n".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }),
    .init(
      "The same in the other byte order", .sha256, "a.zip",
      bytes: [0xFE, 0xFF] + "\(sha256)  a.zip\r\n".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }),
  ]

  /// `SHA256 (NAME) = HEX`.
  private static let bsdLists: [PublishedSidecar] = [
    .init(
      "FreeBSD, CHECKSUM.SHA512", .sha512, "FreeBSD-14.0-RELEASE-amd64-disc1.iso",
      "SHA512 (FreeBSD-14.0-RELEASE-amd64-bootonly.iso) = \(notSha512)\n"
        + "SHA512 (FreeBSD-14.0-RELEASE-amd64-disc1.iso) = \(sha512)\n"),
    .init(
      "OpenBSD, SHA256", .sha256, "install74.iso",
      "SHA256 (cd74.iso) = \(notSha256)\nSHA256 (install74.iso) = \(sha256)\n"),
    .init(
      "OpenBSD, SHA256.sig by signify", .sha256, "install74.iso",
      "untrusted comment: verify with openbsd-74-base.pub\n"
        + "RWR5c3luY21ha2VzeW5jbWFrZXN5bmNtYWtlc3luY21ha2VzeW5jbWFrZXN5bmNtYWtlc3luY21ha2VzeW5jbWFrZXN5bmM=\n"
        + "SHA256 (cd74.iso) = \(notSha256)\nSHA256 (install74.iso) = \(sha256)\n"),
    .init(
      "NetBSD, SHA512", .sha512, "NetBSD-10.0-amd64.iso",
      "MD5 (NetBSD-10.0-amd64.iso) = \(notMd5)\nSHA512 (./NetBSD-10.0-amd64.iso) = \(sha512)\n"),
    .init(
      "AlmaLinux, CHECKSUM", .sha256, "AlmaLinux-9-latest-x86_64-boot.iso",
      "# AlmaLinux-9-latest-x86_64-boot.iso: 893386752 bytes\n"
        + "SHA256 (AlmaLinux-9-latest-x86_64-boot.iso) = \(sha256)\n"),
    .init("pfSense, .sha256", .sha256, "pfSense-CE.iso.gz", "SHA256 (pfSense-CE.iso.gz) = \(sha256)\n"),
    .init(
      "RIPE NCC, .md5", .md5, "delegated-ripencc-extended-latest",
      "MD5 (delegated-ripencc-extended-latest) = \(md5)\n"),
    .init(
      "Apache Hadoop, .sha512", .sha512, "hadoop-3.3.6.tar.gz", "SHA512 (hadoop-3.3.6.tar.gz) = \(sha512)\n"),
    .init("OpenSSL 1.0's dgst", .md5, "a.tar", "MD5(a.tar)= \(md5)\n"),
    .init("OpenSSL 3's dgst", .sha256, "a.tar", "SHA2-256(a.tar)= \(sha256)\n"),
  ]

  /// Digits only.
  private static let singleDigests: [PublishedSidecar] = [
    .init("Go, .sha256", .sha256, "go1.22.0.linux-amd64.tar.gz", sha256),
    .init("Kubernetes, .sha256", .sha256, "kubectl", sha256),
    .init("Maven Central, .sha1", .sha1, "x-1.0.jar", sha1),
    .init("Gradle, .sha256", .sha256, "gradle-8.5-bin.zip", sha256),
    .init("WordPress, .md5", .md5, "wordpress-6.4.2.tar.gz", md5),
    .init("Grafana, .sha256", .sha256, "grafana-10.2.3.linux-amd64.tar.gz", "\(sha256)\n"),
    .init("A digest in upper case, with CR LF", .sha256, "a.msi", "\(sha256.uppercased())\r\n"),
  ]
}
