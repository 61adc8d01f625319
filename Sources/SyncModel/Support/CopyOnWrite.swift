/// A value in one object that copies share until one of them changes.
///
/// For values of many fields that a run passes on many times: a copy counts one reference, not a dozen.
struct CopyOnWrite<Value: Sendable>: Sendable {
  /// Never changed while two copies share it, which makes it safe to send.
  private final class Storage: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }

  var value: Value {
    _read { yield storage.value }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }

  /// Whether both are one object, so that the values are equal without a look.
  func isSame(as other: CopyOnWrite) -> Bool { storage === other.storage }
}
