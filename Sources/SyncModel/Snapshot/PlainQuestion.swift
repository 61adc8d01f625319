/// A request to a web server that consists of a URL and its conditions; see ``PlainQuestions``.
package struct PlainQuestion: Sendable, Equatable {
  /// As it is sent.
  package var url: String
  /// Header lines as they are sent, two at most.
  package var conditions: [String]
  /// The host in ``url``, and how many connections it may have.
  package var host: PlainQuestions.Host

  /// `conditions` are at most two header lines without their ends.
  package init(url: String, conditions: [String], host: PlainQuestions.Host) {
    self.url = url
    self.conditions = conditions
    self.host = host
  }
}
