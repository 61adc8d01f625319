/// How text for people is to look: decided by the CLI from options, environment and terminal.
package struct TextStyle: Sendable, Equatable {
  /// Whether to use SGR escapes; colour never carries information alone.
  package var colour: Bool
  /// The terminal's columns; `nil` if there is no terminal: then tables have their natural width, and other text 80
  /// columns.
  package var width: Int?

  /// Plain text for 80 columns by default.
  package init(colour: Bool = false, width: Int? = nil) {
    self.colour = colour
    self.width = width
  }

  /// The width for source lines; a terminal that is too narrow wraps them.
  var columns: Int { max(40, width ?? 80) }

  /// The width for tables: like ``columns``, but a pipe gets whole lines, up to what any reader can hold.
  var tableColumns: Int { width == nil ? 1000 : columns }

  /// `text` in `paint` if colour is on.
  func paint(_ text: String, _ paint: Paint) -> String {
    colour && !text.isEmpty ? "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m" : text
  }
}

/// The colours in use, as the parameters of an SGR escape.
enum Paint: String {
  case bold = "1"
  case faint = "2"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case cyan = "36"
  case boldRed = "1;31"
  case boldYellow = "1;33"
}
