/// The result of expanding one entry of `targets` by its matrix.
enum MatrixReading {
  /// The keys and values of each target.
  case targets(MatrixScopes)
  /// The matrix has an error. The scope contains the known part of its first target, whose other problems are
  /// reported, too.
  case lost(Scope)
  /// The targets are the rows of a file.
  case rows(RowTable)
  /// The targets come from a list.
  case listed(MappingEntry)
}

/// Every combination of the values of a matrix, the first key's changing slowest.
struct MatrixScopes: RandomAccessCollection {
  struct Axis {
    var name: String
    var values: [ExpandedText]
  }

  private let axes: [Axis]
  private let names: [String]
  /// How many targets there are; `Int.max` if that is too many to count.
  let count: Int

  init(_ axes: [Axis]) {
    self.axes = axes
    names = axes.map(\.name)
    count = axes.reduce(1) { count, axis in
      let (product, isTooMany) = count.multipliedReportingOverflow(by: axis.values.count)
      return isTooMany ? .max : product
    }
  }

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(index: Int) -> Scope {
    var rest = index
    var values: [ExpandedText] = []
    values.reserveCapacity(axes.count)
    for axis in axes.reversed() {
      values.append(axis.values[rest % axis.values.count])
      rest /= axis.values.count
    }
    values.reverse()
    return Scope(names: names, values: values)
  }
}

extension ManifestReader {
  /// The combinations of a matrix in a target called `name`.
  func matrix(_ id: NodeID, name: NodeID) -> MatrixReading {
    let want = Want("matrix", "a mapping from key to a list of values")
    guard let entries = entries(of: id, want) else { return .lost(scopeOfUnknownKeys(name: name)) }
    guard !entries.isEmpty else {
      error("\"matrix\" has no key", at: id, hint: "write {key: [value, value]}")
      return .lost(scopeOfUnknownKeys(name: name))
    }
    if let rows = rowFile(in: entries) { return self.rows(rows, among: entries) }
    var axes: [MatrixScopes.Axis] = []
    var lost = entries.isIncomplete ? scopeOfUnknownKeys(name: name) : Scope()
    var isSound = !entries.isIncomplete
    var count = 1
    for entry in entries {
      // Nothing is made of a matrix that is too large, however long its ranges are.
      guard let values = matrixValues(entry, most: Self.maximumTargets / count) else {
        error("\"matrix\" creates more than a million targets", at: id)
        return .lost(scopeOfUnknownKeys(name: name))
      }
      count *= max(1, values.known.count)
      guard isVariableName(entry.key) else {
        isSound = false
        lost.unreadable += scopeOfUnknownKeys(name: name).unreadable
        continue
      }
      let key = document.text(of: entry.key)
      isSound = isMatrixKey(entry, usedIn: name) && values.areSound && isSound
      if values.areSound, let first = values.known.first {
        axes.append(MatrixScopes.Axis(name: key, values: values.known))
        lost.names.append(key)
        lost.values.append(first)
      } else {
        lost.unreadable.append(key)
      }
    }
    guard isSound else { return .lost(lost) }
    return .targets(MatrixScopes(axes))
  }

  /// The known part of an unreadable matrix: every key in the target's name.
  func scopeOfUnknownKeys(name: NodeID) -> Scope {
    let used = (try? Template(document.text(of: name)))?.variableNames ?? []
    return Scope(unreadable: used.filter { !variables.defines($0) })
  }

  private func isVariableName(_ key: NodeID) -> Bool {
    let text = document.text(of: key)
    if Template.isVariableName(text) { return true }
    error("\(quoted(text)) is not a matrix key's name", at: key, hint: Template.nameHint)
    return false
  }

  private func isMatrixKey(_ entry: MappingEntry, usedIn name: NodeID) -> Bool {
    let key = entry.key
    let text = document.text(of: key)
    guard !variables.defines(text) else {
      error(
        "\(quoted(text)) is already the name of a variable", at: key, hint: "give the matrix key another name"
      )
      return false
    }
    let used = (try? Template(document.text(of: name)))?.variableNames ?? [text]
    guard used.contains(text) else {
      let isFile =
        document[entry.value].kind == .scalar
        && RowCursor.Format(path: document.text(of: entry.value)) != nil
      error(
        "matrix key \"\(text)\" is not in the target's name", at: key,
        hint: (isFile ? didYouMean(text, among: ["rows"]) : nil)
          ?? "the names must differ: \(document.text(of: name))-${\(text)}")
      return false
    }
    return true
  }

  /// The values of a key, as far as they could be read; `nil` if there are more than `most`.
  private func matrixValues(
    _ entry: MappingEntry, most: Int
  ) -> (known: [ExpandedText], areSound: Bool)? {
    let key = document.text(of: entry.key)
    let want = Want("the matrix key \(quoted(key))", "a list of values")
    let isList = document[entry.value].kind == .sequence
    let items = isList ? document.children(of: entry.value) : [entry.value]
    guard !items.isEmpty else {
      error("matrix key \"\(key)\" has no value", at: entry.value)
      return ([], false)
    }
    var values: [ExpandedText] = []
    var isSound = true
    for item in items {
      guard
        let value = expanded(
          item, isList ? Want("the matrix key \(quoted(key))", "text or a range such as 1..22") : want)
      else {
        isSound = false
        continue
      }
      guard let range = range(value.text) else {
        guard values.count < most else { return nil }
        values.append(value)
        continue
      }
      guard range.last >= range.first, range.last - range.first < Self.maximumTargets,
        range.width <= OutputName.longestPart
      else {
        error(
          range.last < range.first
            ? "the range \(quoted(value.text)) runs backwards"
            : "the range \(quoted(value.text)) is too long",
          at: item)
        isSound = false
        continue
      }
      guard range.last - range.first < most - values.count else { return nil }
      values += (range.first...range.last).map { ExpandedText(text: Self.padded($0, range.width)) }
    }
    return (values, isSound)
  }

  /// Whether the text of a node is a range.
  func isRange(_ id: NodeID) -> Bool { range(document.text(of: id)) != nil }

  /// `text` as a range such as `1..22`, or as one that is too long if a number is; `width` is that of a first number that
  /// begins with a zero, else 1.
  private func range(_ text: String) -> (first: Int, last: Int, width: Int)? {
    let bytes = Array(text.utf8)
    guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")), bytes[dot...].starts(with: Array("..".utf8))
    else {
      return nil
    }
    let ends = [bytes[..<dot], bytes[(dot + 2)...]]
    guard ends.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }) else { return nil }
    guard let first = Int(String(decoding: ends[0], as: UTF8.self)),
      let last = Int(String(decoding: ends[1], as: UTF8.self))
    else { return (0, .max, 1) }
    return (first, last, ends[0].first == UInt8(ascii: "0") ? ends[0].count : 1)
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
