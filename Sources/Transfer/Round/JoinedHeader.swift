import CCurlShim
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A request's header lines as one entry of libcurl's list, for one request after another.
///
/// libcurl passes an entry on as it is (libcurl.org, `CURLOPT_HTTPHEADER`), and each entry more costs it a twentieth of
/// a request, since it looks for a dozen names in each.
@safe final class JoinedHeader {
  private let list: UnsafeMutablePointer<curl_slist>
  private var text: UnsafeMutablePointer<CChar>
  private var capacity: Int
  /// The length of the common part of ``text``.
  private let commonLength: Int

  /// The common header lines of this program's requests.
  convenience init(_ settings: TransferSettings) {
    self.init((["User-Agent: \(settings.userAgent)"] + HopRequest.everyRequest).joined(separator: "\r\n"))
  }

  /// `common` has the common lines: one or more, without an end after the last.
  init(_ common: String) {
    commonLength = common.utf8.count
    capacity = commonLength + 1024
    unsafe text = .allocate(capacity: capacity)
    for (index, byte) in common.utf8.enumerated() { unsafe text[index] = CChar(bitPattern: byte) }
    unsafe list = .allocate(capacity: 1)
    unsafe list.initialize(to: curl_slist())
  }

  deinit {
    unsafe text.deallocate()
    unsafe list.deallocate()
  }

  /// The common lines, followed by these if they are not empty.
  ///
  /// Valid until the next call, and as long as this object exists.
  func ending(in first: UnsafePointer<CChar>, _ second: UnsafePointer<CChar>) -> UnsafeMutablePointer<
    curl_slist
  > {
    let (firstLength, secondLength) = unsafe (strlen(first), strlen(second))
    reserve(
      commonLength + firstLength + secondLength + 2 * Self.lineEndLength + 1, keeping: commonLength)
    var length = commonLength
    unsafe append(first, firstLength, at: &length)
    unsafe append(second, secondLength, at: &length)
    unsafe text[length] = 0
    unsafe list.pointee.data = text
    return unsafe list
  }

  /// The same with any number of lines, none of which is empty.
  func ending(in lines: [String]) -> UnsafeMutablePointer<curl_slist> {
    var length = commonLength
    for line in lines {
      guard HeaderText.isPlain(line) else {
        append(HeaderText.bytes(line), at: &length)
        continue
      }
      let size = line.utf8.count
      reserve(length + Self.lineEndLength + size + 1, keeping: length)
      unsafe line.withCString { unsafe append($0, size, at: &length) }
    }
    unsafe text[length] = 0
    unsafe list.pointee.data = text
    return unsafe list
  }

  private static let lineEndLength = 2

  private func append(_ line: [UInt8], at length: inout Int) {
    reserve(length + Self.lineEndLength + line.count + 1, keeping: length)
    unsafe (line + [0]).map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { text in
      unsafe text.baseAddress.map { unsafe append($0, line.count, at: &length) } ?? ()
    }
  }

  private func append(_ line: UnsafePointer<CChar>, _ size: Int, at length: inout Int) {
    guard size > 0 else { return }
    unsafe text[length] = 0x0d
    unsafe text[length + 1] = 0x0a
    unsafe memcpy(text + length + Self.lineEndLength, line, size)
    length += Self.lineEndLength + size
  }

  private func reserve(_ size: Int, keeping length: Int) {
    guard size > capacity else { return }
    let larger = UnsafeMutablePointer<CChar>.allocate(capacity: size)
    unsafe memcpy(larger, text, length)
    unsafe text.deallocate()
    unsafe (text, capacity) = unsafe (larger, size)
  }
}
