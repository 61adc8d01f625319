import CBlake2Shim

/// A BLAKE2b digest of 64 bytes; a copy continues independently.
///
/// swift-crypto has no BLAKE2b; see docs/decisions/0021.
struct Blake2b {
  private static let isLoaded = blake2shim_load() != 0

  /// `nil` once the library has failed.
  private var state: State?

  /// A digest of no bytes yet; `nil` if the library is missing.
  init?() {
    guard Self.isLoaded, let state = unsafe State(blake2shim_new()) else { return nil }
    self.state = state
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if !isKnownUniquelyReferenced(&state) { state = state?.copy() }
    if unsafe state?.update(bytes) != true { state = nil }
  }

  /// The digest of all bytes so far; `nil` if the library failed.
  var value: [UInt8]? { state?.copy()?.finish() }

  /// The library's state, owned. Its methods keep it alive while the library works on it.
  @safe private final class State {
    private let pointer: UnsafeMutableRawPointer

    init?(_ pointer: UnsafeMutableRawPointer?) {
      guard let pointer = unsafe pointer else { return nil }
      unsafe self.pointer = pointer
    }

    deinit { unsafe blake2shim_free(pointer) }

    func copy() -> State? { withExtendedLifetime(self) { unsafe State(blake2shim_copy(pointer)) } }

    /// Whether the library took the bytes.
    func update(_ bytes: UnsafeRawBufferPointer) -> Bool {
      withExtendedLifetime(self) { unsafe blake2shim_update(pointer, bytes.baseAddress, bytes.count) != 0 }
    }

    /// The digest; nothing may be done with the state afterwards.
    func finish() -> [UInt8]? {
      var digest = [UInt8](repeating: 0, count: 64)
      let isDone = withExtendedLifetime(self) { unsafe blake2shim_finish(pointer, &digest) != 0 }
      return isDone ? digest : nil
    }
  }
}
