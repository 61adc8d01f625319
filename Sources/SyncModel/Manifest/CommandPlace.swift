/// The options of a command line by which its user named a manifest, and with it the folder.
package struct CommandPlace: Sendable, Equatable {
  private let options: String

  /// `options` are as a shell reads them, each word with a space before it; empty if none was given.
  package init(_ options: String = "") { self.options = options }

  /// A command of the program for the manifest, as messages name it.
  package func command(_ words: String) -> String { "`syncmake \(words)\(options)`" }
}
