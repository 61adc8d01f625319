import Foundation
import SyncTestSupport

/// A publisher on loopback, with the host to which some publishers redirect.
final class Publisher: Sendable {
  /// The URL in the recipe's variable.
  let server: LoopbackServer
  /// A host of another name, as object stores and delivery networks are.
  let store: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    store = try LoopbackServer()
  }

  /// Part of each signature, so that a test can search for text that must appear nowhere.
  static let signatureMark = "SiGnAtUrE"

  /// An address on the other host.
  func storeURL(_ path: String) -> String { "http://localhost:\(store.port)\(path)" }

  /// A signature that no reply had before.
  static func newSignature() -> String { "\(signatureMark)\(UUID().uuidString)" }

  /// All requests so far, to both hosts.
  var requests: [LoggedRequest] { server.requests + store.requests }

  func clearLog() {
    server.clearLog()
    store.clearLog()
  }

  /// Serves a file with the validators that nginx and Apache give it.
  func serve(_ path: String, _ bytes: [UInt8], _ edition: Edition, etag: String? = nil) {
    server.on(path, .file(bytes, etag: etag ?? edition.etag(bytes), lastModified: edition.date))
  }

  func serve(_ path: String, _ text: String, _ edition: Edition) { serve(path, Array(text.utf8), edition) }
}

/// A publisher's files at one time.
struct Edition: Sendable {
  var number: Int
  /// Whether files with a published digest arrive damaged.
  var isDamaged = false

  static let first = Edition(number: 1)
  static let second = Edition(number: 2)
  static let damaged = Edition(number: 2, isDamaged: true)

  /// The edition of files without a published digest: a damaged edition does not change them.
  var ofUnprotected: Edition { Edition(number: isDamaged ? number - 1 : number) }

  /// A day in January 2026.
  var day: String { "2026010\(number)" }
  var date: String { "\(["Thu", "Fri", "Sat"][number - 1]), 0\(number) Jan 2026 03:00:00 GMT" }

  /// The content of a file of this name.
  func content(_ name: String) -> [UInt8] { Array("\(name), edition \(number)\n".utf8) }

  /// The content that arrives.
  func arriving(_ name: String) -> [UInt8] {
    isDamaged ? Array("\(name), edition 0, damaged\n".utf8) : content(name)
  }

  /// An ETag of time and size, as nginx writes it.
  func etag(_ bytes: [UInt8]) -> String { "\"6955b1\(number)0-\(String(bytes.count, radix: 16))\"" }
}
