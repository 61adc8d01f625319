/// A value in one object that its copies share until one of them changes.
///
/// For values of many fields that are passed on often: a run passes a target or a record on some thirty times, and
/// each plain copy would count a dozen references. The members are public and inlinable, since only then do other
/// modules read a field directly, and not through a key path.
@dynamicMemberLookup
public struct Shared<Value: Sendable>: Sendable {
  /// Never changed while two copies share it, which makes it safe to send.
  public final class Storage: @unchecked Sendable {
    /// The value; only its one owner changes it.
    public var value: Value

    /// An object of its own for `value`.
    @inlinable public init(_ value: Value) { self.value = value }
  }

  /// The object that holds the value.
  public var storage: Storage

  /// The only copy of `value` so far.
  @inlinable public init(_ value: Value) { storage = Storage(value) }

  /// A field of the value.
  @inlinable public subscript<Field>(dynamicMember path: WritableKeyPath<Value, Field>) -> Field {
    get { storage.value[keyPath: path] }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value[keyPath: path]
    }
  }
}

extension Shared: Equatable where Value: Equatable {
  /// Whether the values are equal; two copies of one are recognised without a comparison.
  @inlinable public static func == (a: Shared, b: Shared) -> Bool {
    a.storage === b.storage || a.storage.value == b.storage.value
  }
}
