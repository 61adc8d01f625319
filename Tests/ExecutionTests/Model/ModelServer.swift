import SyncTestSupport

/// The model's versions as replies.
enum ModelServer {
  /// `digest`: the sha256 that the server sends of the file; `nil` for none.
  static func reply(_ version: ServedVersion, _ bytes: [UInt8], digest: String?) -> Reply {
    var file = ServedFile(
      bytes: bytes, etag: tag(version), lastModified: version.hasDate ? date(version.serial) : nil)
    file.refusesIfRange = version.refusesIfRange
    if let digest { file.headers = [HeaderField("X-Checksum-Sha256", digest)] }
    switch version.manner {
    case .honest: return Reply(.file(file))
    case .ignoresConditions:
      file.ignoresConditions = true
      return Reply(.file(file))
    case .status(let status): return .status(status, body: status == 204 ? [] : Array("no\n".utf8))
    case .alwaysNotModified: return .status(304)
    case .cut(let count): return Reply(.file(file)).cut(after: count)
    }
  }

  /// A redirect to `path` with a signature that no other redirect has.
  static func redirect(to path: String) -> Reply {
    Reply(
      .computed { request in
        .redirect("\(path)?X-Amz-Expires=300&X-Amz-Signature=\(signatureMark)\(request.number)")
      })
  }

  /// Part of every redirect's signature, and of nothing else.
  static let signatureMark = "5160a7e5ec2e7"

  static func sidecar(_ digest: String) -> Reply {
    .file(Array("\(digest)\n".utf8), etag: "\"\(digest.prefix(8))\"")
  }

  private static func tag(_ version: ServedVersion) -> String? {
    switch version.tag {
    case .strong: "\"v\(version.serial)\""
    case .weak: "W/\"v\(version.serial)\""
    case .none: nil
    }
  }

  /// A minute for each serial number.
  private static func date(_ serial: Int) -> String {
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    return "Sat, 01 Jan 2022 \(two(serial / 60 % 24)):\(two(serial % 60)):00 GMT"
  }
}
