import SyncModel

/// What the program of `credential_process` answers, by the AWS tools' format of version 1.
struct ProcessKey: Sendable, Equatable {
  /// Why an answer is of no use.
  struct Fault: Error { var text: String }

  var key: StoreKey
  /// When the program must be asked again; `nil` for never.
  var expires: Timestamp?

  /// Reads `bytes`, a JSON object.
  init(_ bytes: [UInt8]) throws(Fault) {
    guard let answer = try? JSONValue(bytes), case .object(let members) = answer else {
      throw Fault(text: "it is not a JSON object")
    }
    func value(_ name: String) -> JSONValue? { members.last { $0.key.text == name }?.value }
    func member(_ name: String) -> String? {
      if case .string(let text)? = value(name), !text.isEmpty { text } else { nil }
    }
    guard value("Version") == .number("1") else { throw Fault(text: "its \"Version\" is not 1") }
    guard let id = member("AccessKeyId"), let secret = member("SecretAccessKey") else {
      throw Fault(text: "it has no \"AccessKeyId\" or no \"SecretAccessKey\"")
    }
    key = StoreKey(id: id, secret: secret, token: member("SessionToken"))
    guard key.isUsable else { throw Fault(text: "its key has characters that cannot be sent") }
    guard let written = member("Expiration") else { return }
    guard let time = Timestamp(rfc3339: written) else {
      throw Fault(text: "its \"Expiration\" is not a time such as 2026-01-31T12:00:00Z")
    }
    expires = time
  }
}
