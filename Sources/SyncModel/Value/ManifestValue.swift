/// A variable that takes its value from the output of a target (contract, section 11).
package struct ManifestValue: Sendable, Equatable {
  /// The variable's name.
  package var name: String
  /// The position of that name.
  package var span: SourceSpan
  /// The target whose output has the value.
  package var target: TargetName
  /// Which part of the output it is.
  package var pick: ValuePick
  /// What the manifest was read with; `nil` if the value is not known.
  package var text: String?
  /// The targets that use it, in manifest order.
  package var users: [TargetID] = []
  /// Why it is not known, if its target is there; those that use it fail with this.
  package var failure: FailureCause?
  /// What its target has upstream, where a plan found that it differs from the lock's value.
  package var upstream: String?
  /// Whether a plan found that upstream has another version of the output, and could not read its value.
  package var isUnread = false

  /// Nothing is checked.
  package init(name: String, span: SourceSpan, target: TargetName, pick: ValuePick, text: String? = nil) {
    self.name = name
    self.span = span
    self.target = target
    self.pick = pick
    self.text = text
  }

  /// What targets without its value wait for, as they wait for a template; no target can have this name.
  package var key: String { Self.key(of: name) }

  /// The same for a variable called `name`.
  package static func key(of name: String) -> String { "${\(name)}" }
}

/// Which part of an output is a value.
package enum ValuePick: Sendable, Equatable {
  /// A line, from 1.
  case line(Int)
  /// The group of a POSIX extended expression, in the first line that it matches.
  case pattern(String)
  /// A text or a number in a JSON document.
  case json(JSONPointer)

  /// As a lock writes it.
  package var text: String {
    switch self {
    case .line(let number): "line \(number)"
    case .pattern(let text): "regex \(text)"
    case .json(let pointer): "json \(pointer.text)"
    }
  }
}

/// The value of a variable in a lock.
package struct LockedValue: Sendable, Equatable {
  /// The ``ValuePick/text`` by which it was taken: another part of the output is another value.
  package var part: String
  /// The value.
  package var text: String

  /// Nothing is checked.
  package init(part: String, text: String) {
    self.part = part
    self.text = text
  }
}

/// Why an output has no usable value, or what the value makes impossible (`value-invalid`; contract, section 11).
package enum ValueFault: Error, Sendable, Equatable {
  /// The output has fewer lines.
  case noLine(Int, lines: Int)
  /// No line matches the expression.
  case noMatch
  /// The output is not JSON; the place is a line.
  case notJSON(line: Int)
  /// The document has nothing at the pointer.
  case nothingThere
  /// A key on the way occurs twice.
  case ambiguous
  /// There is something else than a text or a number, such as "an object".
  case otherKind(String)
  /// The value is not in this many bytes at the beginning of the output.
  case outputTooLarge(limit: Int)
  /// The value is empty.
  case empty
  /// The value has so many bytes.
  case tooLong(Int)
  /// The value is not UTF-8.
  case notUTF8
  /// The value has a control character; an end of line, if it has several.
  case control(UInt32)
  /// Its target was not brought up to date yet.
  case unknown
  /// There is no output.
  case noOutput
  /// The value, or the output that it names, cannot be a part of a path.
  case badPath(ListedPath.Fault, value: String)
  /// A URL with the value is not one of http or https.
  case notWeb(String)
  /// The value makes an output that is that of the target called `other`, in its folder, or a folder of it.
  case outputTaken(String, other: String)
  /// A key of the target cannot be what the value makes it; the message is that of the manifest's reader.
  case refused(String)
}

/// A fault of a value, with the variable and the target whose output has it.
package struct ValueProblem: Sendable, Equatable {
  /// The variable's name.
  package var variable: String
  /// The target whose output has the value.
  package var target: TargetName
  /// What is wrong.
  package var fault: ValueFault

  /// Nothing is checked.
  package init(variable: String, target: TargetName, _ fault: ValueFault) {
    self.variable = variable
    self.target = target
    self.fault = fault
  }
}

/// The known values of variables.
package struct KnownValues: Sendable, Equatable {
  /// By the variable's name.
  package var texts: [String: String]
  /// Whether the targets of values come before those that use them, and belong to every selection of those.
  package var orders = true
  /// The variables for which that is not so, since a lock has their values.
  package var locked: Set<String> = []

  /// None is known by default.
  package init(_ texts: [String: String] = [:]) { self.texts = texts }
}
