import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A publisher's server on this machine: it serves files with an ETag, and parts of them.
final class Publisher: @unchecked Sendable {
  let url: String
  private let listener: Int32
  private let lock = NSLock()
  private var files: [String: [UInt8]] = [:]
  private var cut: Int?
  private var log: [String] = []

  init() throws {
    #if canImport(Glibc)
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard isBound else { throw CocoaError(.fileReadUnknown) }
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    Thread.detachNewThread {
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        self.answer(connection)
        close(connection)
      }
    }
  }

  /// Serves these bytes at `path` from now on.
  func publish(_ bytes: [UInt8], at path: String) { lock.withLock { files[path] = bytes } }

  /// The next body breaks off after so many bytes.
  func breakOff(after count: Int) { lock.withLock { cut = count } }

  /// The requests since the last call: method, path, and the range, if one was asked for.
  func requests() -> [String] {
    lock.withLock {
      defer { log = [] }
      return log
    }
  }

  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func answer(_ connection: Int32) {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard read(connection, &byte, 1) == 1 else { return }
      head.append(byte)
    }
    let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    let range = lines.first { $0.lowercased().hasPrefix("range: bytes=") }
    let start = range.flatMap { Int($0.dropFirst(13).prefix { $0.isNumber }) }
    let (bytes, cut) = lock.withLock {
      log.append("\(words[0]) \(words[1])" + (start.map { " from \($0)" } ?? ""))
      defer { if words[0] == "GET" { self.cut = nil } }
      return (files[String(words[1])], words[0] == "GET" ? self.cut : nil)
    }
    guard let bytes else {
      return send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", to: connection)
    }
    let body = bytes.dropFirst(start ?? 0)
    let part = start.map { "Content-Range: bytes \($0)-\(bytes.count - 1)/\(bytes.count)\r\n" } ?? ""
    let status = start == nil ? "200 OK" : "206 Partial Content"
    send(
      "HTTP/1.1 \(status)\r\nContent-Length: \(body.count)\r\nETag: \"\(bytes.hashValue)\"\r\n\(part)"
        + "Connection: close\r\n\r\n", to: connection)
    guard words[0] == "GET" else { return }
    send(Array(body.prefix(cut ?? body.count)), to: connection)
  }

  private func send(_ text: String, to connection: Int32) { send(Array(text.utf8), to: connection) }

  private func send(_ bytes: [UInt8], to connection: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
