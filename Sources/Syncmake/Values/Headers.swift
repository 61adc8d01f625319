/// Headers of requests, in this order: a literal such as `["X-Key": "1"]`, or made at run time.
public struct Headers: Sendable, ExpressibleByDictionaryLiteral {
  /// All of them, each name once, whatever its case; a name that is there twice makes the target invalid.
  public var fields: [(name: String, value: String)]

  /// Those of `fields`; none without it.
  public init(_ fields: [(name: String, value: String)] = []) { self.fields = fields }

  /// As in a literal, in its order.
  public init(dictionaryLiteral fields: (String, String)...) {
    self.init(fields.map { (name: $0.0, value: $0.1) })
  }

  /// Adds a header at the end.
  public mutating func append(_ name: String, _ value: String) { fields.append((name, value)) }
}
