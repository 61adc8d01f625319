#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A TCP socket on 127.0.0.1 with the few operations of the server; its holder closes it once.
struct Socket: Sendable {
  let descriptor: Int32

  /// Why a system call failed.
  struct Failure: Error { let call: String, code: Int32 }

  /// Listens on a port that the system chooses, or only reserves it.
  static func listening(_ listens: Bool = true) throws(Failure) -> (socket: Socket, port: UInt16) {
    #if canImport(Darwin)
      let descriptor = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let result = Socket(descriptor: descriptor)
    do {
      return (result, try result.bindToLoopback(listens))
    } catch {
      result.close()
      throw error
    }
  }

  private func bindToLoopback(_ listens: Bool) throws(Failure) -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withGeneric(&address) { bind(descriptor, $0, length) == 0 }
    guard isBound else { throw Failure(call: "bind", code: errno) }
    guard !listens || listen(descriptor, 512) == 0 else { throw Failure(call: "listen", code: errno) }
    let isNamed = withGeneric(&address) { getsockname(descriptor, $0, &length) == 0 }
    guard isNamed else { throw Failure(call: "getsockname", code: errno) }
    return UInt16(bigEndian: address.sin_port)
  }

  private func withGeneric(_ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Bool)
    -> Bool
  {
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }

  /// The next connection; `nil` once `wake` is readable or the socket has failed.
  func accept(wake: Int32) -> Socket? {
    while true {
      var polled = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&polled, 2, -1)
      if count < 0 && errno == EINTR { continue }
      if count < 0 || polled[1].revents != 0 { return nil }
      #if canImport(Darwin)
        let accepted = Darwin.accept(descriptor, nil, nil)
      #else
        let accepted = Glibc.accept(descriptor, nil, nil)
      #endif
      if accepted >= 0 {
        let socket = Socket(descriptor: accepted)
        socket.configure()
        return socket
      }
      if errno != EINTR && errno != ECONNABORTED && errno != EMFILE { return nil }
    }
  }

  private func configure() {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var yes: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, size)
    #if canImport(Darwin)
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, size)
    #endif
  }

  /// Some bytes; empty at the end or on any error.
  func receive(atMost limit: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      var received = recv(descriptor, buffer.baseAddress, limit, 0)
      while received < 0 && errno == EINTR { received = recv(descriptor, buffer.baseAddress, limit, 0) }
      count = max(received, 0)
    }
  }

  /// Sends everything; `false` if the other side is gone.
  func send(_ bytes: ArraySlice<UInt8>) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    return bytes.withUnsafeBytes { buffer in
      var sent = 0
      while sent < buffer.count {
        let rest = UnsafeRawBufferPointer(rebasing: buffer[sent...])
        #if canImport(Darwin)
          let count = Darwin.send(descriptor, rest.baseAddress, rest.count, flags)
        #else
          let count = Glibc.send(descriptor, rest.baseAddress, rest.count, flags)
        #endif
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { return false }
        sent += count
      }
      return true
    }
  }

  /// Whether the other side has closed its half; does not wait.
  var isAbandoned: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
  }

  /// Wakes every thread that waits on it; it still has to be closed.
  func shutdownBoth() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Sends FIN and closes, after reading the rest, so that no RST follows.
  func closePolitely() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var rounds = 0
    while rounds < 64, poll(&polled, 1, 1000) > 0, !receive(atMost: 4096).isEmpty { rounds += 1 }
    close()
  }

  /// Sends RST.
  func closeWithReset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  func close() {
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #else
      _ = Glibc.close(descriptor)
    #endif
  }
}
