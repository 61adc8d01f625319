import SyncTestSupport

/// Publishers of genomes, maps and images.
extension Recipe {
  private static let assemblyFolder = "/genomes/all/GCF/000/005/845/GCF_000005845.2_ASM584v2"

  static let assembly = Recipe(
    name: "ncbi-assembly", address: "https://ftp.ncbi.nlm.nih.gov",
    publish: { edition, publisher in
      var outputs: [String: [UInt8]] = [:]
      // The list covers the folder and all folders below it.
      let other = try TestData.digest("md5", Array("other".utf8))
      var list = "\(other)  ./GCF_000005845.2_ASM584v2_assembly_report.txt\n"
      for part in ["genomic.fna", "genomic.gff", "protein.faa"] {
        let file = "GCF_000005845.2_ASM584v2_\(part).gz"
        list += "\(try TestData.digest("md5", TestData.gzip(edition.content(part))))  ./\(file)\n"
        publisher.serve("\(assemblyFolder)/\(file)", try TestData.gzip(edition.arriving(part)), edition)
        outputs["ecoli/\(part)"] = edition.content(part)
      }
      list += "\(other)  ./Annotation_comparison/GCF_000005845.2_ASM584v2_compare_prev.txt.gz\n"
      publisher.serve("\(assemblyFolder)/md5checksums.txt", list, edition)
      return outputs
    },
    confirmations: ["\(assemblyFolder)/md5checksums.txt"])

  private static let taxdump = "/pub/taxonomy/taxdump.tar.gz"

  static let taxonomy = Recipe(
    name: "ncbi-taxonomy", address: "https://ftp.ncbi.nlm.nih.gov",
    publish: { edition, publisher in
      let tables = ["names.dmp", "nodes.dmp", "merged.dmp"]
      func packed(_ content: (String) -> [UInt8]) throws -> [UInt8] {
        let names = tables + ["gencode.dmp", "readme.txt"]
        return try TestArchives.make(
          "tar.gz", names.map { "\($0)=\($0)" },
          files: Dictionary(uniqueKeysWithValues: names.map { ($0, content($0)) }))
      }
      let sum = try TestData.digest("md5", packed(edition.content))
      publisher.serve(taxdump, try packed(edition.arriving), edition)
      publisher.serve("\(taxdump).md5", "\(sum)  taxdump.tar.gz\n", edition)
      return Dictionary(uniqueKeysWithValues: tables.map { ("taxonomy/\($0)", edition.content($0)) })
    },
    confirmations: ["\(taxdump).md5"])

  static let timeZones = Recipe(
    name: "time-zones", address: "https://data.iana.org",
    publish: { edition, publisher in
      let names = ["europe", "asia", "iso3166.tab"]
      let archive = try packed("tar.gz", names + ["zishrink.awk"], edition)
      publisher.serve("/time-zones/tzdata-latest.tar.gz", archive, edition)
      return Dictionary(uniqueKeysWithValues: names.map { ("tzdata/\($0)", edition.content($0)) })
    },
    confirmations: ["/time-zones/tzdata-latest.tar.gz"], refusal: "archive-corrupt")

  private static let tables = ["agency.txt", "routes.txt", "stops.txt", "calendar_dates.txt"]

  static let timetable = Recipe(
    name: "gtfs", address: "https://gtfs.ovapi.nl",
    publish: { edition, publisher in
      let zip = try packed("zip", tables + ["feed_info.txt", "stop_times.txt"], edition)
      publisher.serve("/nl/gtfs-nl.zip", zip, edition)
      return Dictionary(uniqueKeysWithValues: tables.map { ("timetable/\($0)", edition.content($0)) })
    },
    confirmations: ["/nl/gtfs-nl.zip"], refusal: "archive-corrupt")

  /// An archive of files without a published digest: only the archive itself shows that it is damaged.
  private static func packed(
    _ form: String, _ names: [String], _ edition: Edition
  ) throws -> [UInt8] {
    let numbered = names.enumerated().map { (number: "\($0)", name: $1) }
    let archive = try TestArchives.make(
      form, numbered.map { "\($0.name)=\($0.number)" },
      files: Dictionary(uniqueKeysWithValues: numbered.map { ($0.number, edition.content($0.name)) }))
    return edition.isDamaged ? Array(archive.dropLast(20)) : archive
  }

  private static let variants = "/pub/clinvar/vcf_GRCh38/clinvar.vcf.gz"

  static let clinvar = Recipe(
    name: "clinvar", address: "https://ftp.ncbi.nlm.nih.gov",
    publish: { edition, publisher in
      let table = try TestData.gzip(edition.content("clinvar.vcf"))
      let sum = try TestData.digest("md5", table)
      publisher.serve(variants, try TestData.gzip(edition.arriving("clinvar.vcf")), edition)
      // The name is a path on the publisher's machine, to the dated file.
      publisher.serve(
        "\(variants).md5", "\(sum)  /export/vcf_GRCh38/clinvar_\(edition.day).vcf.gz\n", edition)
      let index = edition.ofUnprotected.content("clinvar.vcf.gz.tbi")
      publisher.serve("\(variants).tbi", index, edition.ofUnprotected)
      return ["clinvar/clinvar.vcf.gz": table, "clinvar/clinvar.vcf.gz.tbi": index]
    },
    confirmations: ["\(variants).md5", "\(variants).tbi"])

  static let chromosomes = Recipe(
    name: "ucsc-chromosomes", address: "https://hgdownload.soe.ucsc.edu",
    publish: { edition, publisher in
      let folder = "/goldenPath/hg38/chromosomes"
      // All have the same content, so that only a few processes are needed.
      let (content, packed) = (edition.content("chr"), try TestData.gzip(edition.content("chr")))
      let (sum, arriving) = (try TestData.digest("md5", packed), try TestData.gzip(edition.arriving("chr")))
      var (outputs, list): ([String: [UInt8]], String) = ([:], "")
      for chromosome in (1...22).map(String.init) + ["X", "Y", "M"] {
        list += "\(sum)  chr\(chromosome).fa.gz\n\(sum)  chr\(chromosome)_KI270706v1_random.fa.gz\n"
        publisher.serve("\(folder)/chr\(chromosome).fa.gz", arriving, edition)
        outputs["hg38/chr\(chromosome).fa"] = content
      }
      publisher.serve("\(folder)/md5sum.txt", list, edition)
      let sizes = edition.ofUnprotected.content("hg38.chrom.sizes")
      publisher.serve("/goldenPath/hg38/bigZips/hg38.chrom.sizes", sizes, edition.ofUnprotected)
      outputs["hg38/chrom.sizes"] = sizes
      return outputs
    },
    confirmations: [
      "/goldenPath/hg38/chromosomes/md5sum.txt", "/goldenPath/hg38/bigZips/hg38.chrom.sizes",
    ])

  private static let regions = ["liechtenstein", "monaco"]

  static let mapExtracts = Recipe(
    name: "geofabrik", address: "https://download.geofabrik.de",
    publish: { edition, publisher in
      var outputs: [String: [UInt8]] = [:]
      for region in regions {
        let latest = "/europe/\(region)-latest.osm.pbf"
        let dated = "/europe/\(region)-\(edition.day.dropFirst(2)).osm.pbf"
        let sum = try TestData.digest("md5", edition.content(region))
        publisher.server.on(latest, .redirect(publisher.server.url(dated)))
        publisher.serve(dated, edition.arriving(region), edition)
        publisher.serve("\(latest).md5", "\(sum)  \(region)-latest.osm.pbf\n", edition)
        outputs["osm/\(region).osm.pbf"] = edition.content(region)
      }
      return outputs
    },
    confirmations: regions.map { "/europe/\($0)-latest.osm.pbf.md5" })

  static let cloudImages = Recipe(
    name: "ubuntu-image", address: "https://cloud-images.ubuntu.com",
    publish: { edition, publisher in
      var (outputs, list): ([String: [UInt8]], String) = ([:], "")
      for machine in ["amd64", "arm64"] {
        let image = edition.content(machine)
        let sum = try TestData.digest("sha256", image)
        list += "\(sum) *noble-server-cloudimg-\(machine).img\n"
        list += "\(sum) *noble-server-cloudimg-\(machine)-root.tar.xz\n"
        publisher.serve(
          "/noble/current/noble-server-cloudimg-\(machine).img", edition.arriving(machine), edition)
        outputs["images/noble-\(machine).img"] = image
      }
      publisher.serve("/noble/current/SHA256SUMS", list, edition)
      return outputs
    },
    confirmations: ["/noble/current/SHA256SUMS"])
}
