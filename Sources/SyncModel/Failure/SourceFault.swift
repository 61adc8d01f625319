/// Why something that is to be read cannot be: a local source, a file of the manifest, or what libcurl reads for a request.
package enum SourceFault: Sendable, Equatable {
  /// There is none.
  case missing
  /// It is a device, a socket or a pipe.
  case notRegular
  /// Another program wrote it while it was read.
  case changedMeanwhile
  /// It is the target's own output: to take it would be to lose it.
  case isOwnOutput
  /// It is outside what an untrusted manifest may read.
  case untrusted
  /// A search would have to look at more than `most` files and folders.
  case tooManyNames(most: Int)
  /// The domain name system can have no host of the URL's name.
  case hostNotUnderstood
  /// libcurl does not understand the file of logins.
  case netrcNotUnderstood
  /// The system's message.
  case system(String)

  /// As part of a message.
  package var text: String {
    switch self {
    case .missing: "No such file or directory"
    case .notRegular: "not a regular file"
    case .changedMeanwhile: "it was changed meanwhile"
    case .isOwnOutput: "it is the target's own output"
    case .untrusted: "an untrusted manifest may not read it"
    case .tooManyNames(let most): "more than \(most) files and folders would have to be looked at"
    case .hostNotUnderstood: "libcurl does not understand the host's name"
    case .netrcNotUnderstood: "libcurl does not understand it"
    case .system(let text): text
    }
  }
}

/// What took longer than the manifest allows; the values are keys of `timeout`.
package enum TimeoutPhase: String, Sendable, Equatable {
  /// The way to the server, up to a connection.
  case connect
  /// The whole exchange, from the first request.
  case total
}
