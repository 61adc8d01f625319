import Foundation
import SyncTestSupport

/// Publishers whose files are behind a redirect with a new signature in each reply.
extension Recipe {
  private static let releases = "/jqlang/jq/releases"
  private static let assets = "/github-production-release-asset/5101141"

  private static func tag(_ edition: Edition) -> String { "jq-1.8.\(edition.number)" }

  static let releaseAsset = Recipe(
    name: "github-release", address: "https://github.com",
    publish: { edition, publisher in
      let program = edition.content("jq")
      let sum = try TestData.digest("sha256", program)
      let sums = "\(sum)  jq-linux-amd64\n\(sum)  jq-linux-arm64\n\(sum)  jq-macos-arm64\n"
      for (name, bytes) in [
        ("jq-linux-amd64", edition.arriving("jq")), ("sha256sum.txt", Array(sums.utf8)),
      ] {
        let (tag, asset) = (tag(edition), "\(assets)/\(name.count)-\(edition.number)")
        publisher.server.on(
          "\(releases)/latest/download/\(name)",
          .redirect(publisher.server.url("\(releases)/download/\(tag)/\(name)")))
        publisher.server.on(
          "\(releases)/download/\(tag)/\(name)",
          Reply(
            .computed { [unowned publisher] _ in
              .redirect(publisher.storeURL("\(asset)?\(sharedAccess(Publisher.newSignature(), file: name))"))
            }))
        publisher.store.on(asset, stored(bytes, etag: "\"0x8DE49\(edition.number)\(name.count)\"", edition))
      }
      return ["bin/jq": program]
    },
    confirmations: [
      "\(releases)/latest/download/jq-linux-amd64", "\(releases)/download/jq-1.8.1/jq-linux-amd64",
      "\(assets)/14-1",
    ],
    passedThrough: ["\(releases)/download/jq-1.8.1/jq-linux-amd64"])

  private static let version = "/BurntSushi/ripgrep/releases/download/14.1.1"
  private static let archive = "ripgrep-14.1.1-x86_64-unknown-linux-musl.tar.gz"

  static let releaseArchive = Recipe(
    name: "ripgrep", address: "https://github.com",
    publish: { edition, publisher in
      let folder = "ripgrep-14.1.1-x86_64-unknown-linux-musl"
      func packed(_ program: [UInt8]) throws -> [UInt8] {
        let entries = [
          "\(folder)/", "\(folder)/README.md=readme", "\(folder)/doc/rg.1=readme", "\(folder)/rg=rg",
        ]
        return try TestArchives.make(
          "tar.gz", entries, files: ["readme": Array("text\n".utf8), "rg": program])
      }
      let sum = try TestData.digest("sha256", packed(edition.content("rg")))
      for (name, bytes) in [
        (archive, try packed(edition.arriving("rg"))),
        ("\(archive).sha256", Array("\(sum)  \(archive)\n".utf8)),
      ] {
        let asset = "\(assets)/\(name.count)-\(edition.number)"
        publisher.server.on(
          "\(version)/\(name)",
          Reply(
            .computed { [unowned publisher] _ in
              .redirect(publisher.storeURL("\(asset)?\(sharedAccess(Publisher.newSignature(), file: name))"))
            }))
        publisher.store.on(asset, stored(bytes, etag: "\"0x8DE50\(edition.number)\(name.count)\"", edition))
      }
      return ["bin/rg": edition.content("rg")]
    },
    confirmations: ["\(version)/\(archive)", "\(assets)/\(archive.count)-1"])

  private static let database = "/geoip/databases/GeoLite2-City/download"

  private static func databaseObject(_ edition: Edition, _ suffix: String) -> String {
    "/mm-prod-geoip-databases/GeoLite2-City_\(edition.day).\(suffix)"
  }

  static let geoLite = Recipe(
    name: "geolite", address: "https://download.maxmind.com",
    publish: { edition, publisher in
      let folder = "GeoLite2-City_\(edition.day)"
      let files = ["GeoLite2-City.mmdb", "COPYRIGHT.txt", "LICENSE.txt"]
      func packed(_ content: (String) -> [UInt8]) throws -> [UInt8] {
        try TestArchives.make(
          "tar.gz", files.map { "\(folder)/\($0)=\($0)" },
          files: Dictionary(uniqueKeysWithValues: files.map { ($0, content($0)) }))
      }
      let sum = try TestData.digest("sha256", packed(edition.content))
      let objects = [
        ("tar.gz", try packed(edition.arriving)), ("tar.gz.sha256", Array("\(sum)  \(folder).tar.gz\n".utf8)),
      ]
      for (suffix, bytes) in objects {
        let etag = "\"\(try TestData.digest("md5", bytes))\""
        let file = stored(bytes, etag: etag, edition)
        publisher.store.on(
          databaseObject(edition, suffix),
          Reply(
            .computed { request in
              // Such a store refuses a request with two kinds of credentials.
              request.header("Authorization") == nil ? file : .status(400)
            }))
      }
      publisher.server.on(
        database,
        Reply(
          .computed { [unowned publisher] request in
            let suffix = String(request.target.drop { $0 != "=" }.dropFirst())
            guard request.header("Authorization") == accountAndKey else { return .status(401) }
            let object = databaseObject(edition, suffix)
            return .redirect(publisher.storeURL("\(object)?\(presigned(Publisher.newSignature()))"))
          }))
      return Dictionary(uniqueKeysWithValues: files.map { ("geolite2/\($0)", edition.content($0)) })
    },
    confirmations: [database, databaseObject(.first, "tar.gz")])

  private static var accountAndKey: String {
    let names = ["MAXMIND_ACCOUNT_ID", "MAXMIND_LICENSE_KEY"]
    let pair = names.map { ExampleFolder.credential($0) }.joined(separator: ":")
    return "Basic \(Data(pair.utf8).base64EncodedString())"
  }

  /// The query of a signed URL, as stores with the interface of S3 make it.
  private static func presigned(_ signature: String) -> String {
    "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=ab12%2F20260101%2Fauto%2Fs3%2Faws4_request"
      + "&X-Amz-Date=20260101T030000Z&X-Amz-Expires=300&X-Amz-SignedHeaders=host&X-Amz-Signature=\(signature)"
  }

  /// The query of a shared access signature, as blob stores make it.
  private static func sharedAccess(_ signature: String, file: String) -> String {
    "sp=r&sv=2018-11-09&sr=b&spr=https&se=2026-11-24T20%3A00%3A00Z"
      + "&rscd=attachment%3B+filename%3D\(file)&rsct=application%2Foctet-stream&skoid=96c2d410&sktid=398a6654"
      + "&skt=2026-11-24T19%3A00%3A00Z&ske=2026-11-24T20%3A00%3A00Z&sks=b&skv=2018-11-09&sig=\(signature)%3D"
      + "&jwt=\(signature).\(signature)&response-content-disposition=attachment%3B%20filename%3D\(file)"
  }

  /// A file in the store, for GET with a signature alone: a signature that is made for GET is wrong for HEAD.
  private static func stored(_ bytes: [UInt8], etag: String, _ edition: Edition) -> Reply {
    let file = Reply.file(bytes, etag: etag, lastModified: edition.date)
    return Reply(
      .computed { request in
        let isSigned = request.target.contains(Publisher.signatureMark)
        return isSigned && request.method == "GET" ? file : .status(403)
      })
  }

  private static let resolve = "/sentence-transformers/all-MiniLM-L6-v2/resolve/main"
  private static let cache = "/api/resolve-cache/models/sentence-transformers/all-MiniLM-L6-v2"

  /// The store's path, with its own hash.
  private static func bridge(_ edition: Edition) -> String {
    "/xet-bridge-us/621ffdc136468d709f180294/ee925c6fd7d129b61aa53d120cbe1ea9e175dec73ca08711ec9ff2e6347cc78\(edition.number)"
  }

  private static func commit(_ edition: Edition) -> String {
    "c9745ed1d9f207416be6d2e6f8de32d1f1619bf\(edition.number)"
  }

  static let modelFiles = Recipe(
    name: "hugging-face", address: "https://huggingface.co",
    publish: { edition, publisher in
      let weights = edition.content("model.safetensors")
      try publishLarge("model.safetensors", weights, edition, publisher)
      var outputs = ["model/model.safetensors": weights]
      for file in ["config.json", "tokenizer.json"] {
        let content = edition.ofUnprotected.content(file)
        try publishSmall(file, content, edition.ofUnprotected, publisher)
        outputs["model/\(file)"] = content
      }
      return outputs
    },
    confirmations: [
      "\(resolve)/config.json", "\(cache)/\(commit(.first))/config.json",
      "\(resolve)/tokenizer.json", "\(cache)/\(commit(.first))/tokenizer.json",
      "\(resolve)/model.safetensors", bridge(.first),
    ])

  /// A large file: the redirect names its sha256 and goes to another host, whose ETag is another value.
  private static func publishLarge(
    _ file: String, _ bytes: [UInt8], _ edition: Edition, _ publisher: Publisher
  ) throws {
    let sum = try TestData.digest("sha256", bytes)
    let stored = bridge(edition)
    let headers = [
      HeaderField("X-Repo-Commit", commit(edition)), HeaderField("X-Linked-Size", "\(bytes.count)"),
      HeaderField("X-Linked-ETag", "\"\(sum)\""),
    ]
    publisher.server.on(
      "\(resolve)/\(file)",
      Reply(
        .computed { [unowned publisher] _ in
          let signature = Publisher.newSignature()
          let query =
            "X-Xet-Cas-Uid=public&response-content-disposition=inline%3B+filename%3D%22\(file)%22%3B"
            + "&Expires=1795554000&Policy=\(signature)__&Signature=\(signature)-~&Key-Pair-Id=K2L8F4GPSG1IFC"
          let location = HeaderField("Location", publisher.storeURL("\(stored)?\(query)"))
          return .status(302, headers: headers + [location])
        }))
    let other = try TestData.digest("sha256", Array(sum.utf8))
    publisher.store.on(stored, Self.stored(edition.arriving(file), etag: "\"\(other)\"", edition))
  }

  /// A small file: a redirect on the same host, and the hash of a git blob as its ETag.
  private static func publishSmall(
    _ file: String, _ bytes: [UInt8], _ edition: Edition, _ publisher: Publisher
  ) throws {
    let path = "\(cache)/\(commit(edition))/\(file)"
    let blob = try TestData.digest("sha1", Array("blob \(bytes.count)\0".utf8) + bytes)
    let escaped = "\(resolve)/\(file)".replacingOccurrences(of: "/", with: "%2F")
    let headers = [
      HeaderField("X-Repo-Commit", commit(edition)), HeaderField("X-Linked-ETag", "\"\(blob)\""),
      HeaderField("Location", "\(path)?\(escaped)=&etag=%22\(blob)%22"),
    ]
    publisher.server.on("\(resolve)/\(file)", .status(307, headers: headers))
    publisher.serve(path, bytes, edition, etag: "\"\(blob)\"")
  }
}
