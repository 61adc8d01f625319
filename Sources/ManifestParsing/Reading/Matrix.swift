extension ManifestReader {
  /// Every combination of a matrix's values, the first key's changing slowest; `nil` after an error.
  func scopes(_ id: NodeID, name: NodeID) -> [Scope]? {
    let want = Want("matrix", "a mapping from key to a list of values")
    guard let entries = entries(of: id, want) else { return nil }
    guard !entries.isEmpty else {
      error("\"matrix\" has no key", at: id, hint: "write {key: [value, value]}")
      return nil
    }
    var axes: [(name: String, values: [ExpandedText])] = []
    var isSound = true
    var combinations = 1
    for entry in entries {
      guard isMatrixKey(entry.key, usedIn: name), let values = matrixValues(entry) else {
        isSound = false
        continue
      }
      combinations =
        combinations.multipliedReportingOverflow(by: values.count).overflow
        ? .max : combinations * values.count
      axes.append((document.text(of: entry.key), values))
    }
    guard isSound else { return nil }
    guard combinations <= Self.maximumTargets else {
      error("\"matrix\" makes more than a million targets", at: id)
      return nil
    }
    return Self.combinations(axes, count: combinations)
  }

  private func isMatrixKey(_ key: NodeID, usedIn name: NodeID) -> Bool {
    let text = document.text(of: key)
    guard Template.isVariableName(text) else {
      error("\(quoted(text)) is not a matrix key's name", at: key, hint: variableNameHint)
      return false
    }
    guard !variables.defines(text) else {
      error("\(quoted(text)) is a variable already", at: key, hint: "give the matrix key another name")
      return false
    }
    let used = (try? Template(document.text(of: name)))?.variableNames ?? [text]
    guard used.contains(text) else {
      error(
        "matrix key \"\(text)\" is not in the target's name", at: key,
        hint: "the names must differ: \(document.text(of: name))-${\(text)}")
      return false
    }
    return true
  }

  private func matrixValues(_ entry: MappingEntry) -> [ExpandedText]? {
    let key = document.text(of: entry.key)
    let want = Want("the matrix key \(quoted(key))", "a list of values")
    let isList = document[entry.value].kind == .sequence
    let items = isList ? document.children(of: entry.value) : [entry.value]
    guard !items.isEmpty else {
      error("matrix key \"\(key)\" has no value", at: entry.value)
      return nil
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
        values.append(value)
        continue
      }
      guard range.last >= range.first, range.last - range.first < Self.maximumTargets else {
        error(
          range.last < range.first
            ? "the range \(quoted(value.text)) runs backwards"
            : "the range \(quoted(value.text)) is too long",
          at: item)
        isSound = false
        continue
      }
      values += (range.first...range.last).map { ExpandedText(text: Self.padded($0, range.width)) }
    }
    return isSound ? values : nil
  }

  /// `text` as a range such as `1..22`; `width` is that of a first number that begins with a zero, else 1.
  private func range(_ text: String) -> (first: Int, last: Int, width: Int)? {
    let bytes = Array(text.utf8)
    guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")), bytes[dot...].starts(with: Array("..".utf8))
    else {
      return nil
    }
    let ends = [bytes[..<dot], bytes[(dot + 2)...]]
    guard ends.allSatisfy({ !$0.isEmpty && $0.count <= 18 && $0.allSatisfy { (0x30...0x39).contains($0) } }),
      let first = Int(String(decoding: ends[0], as: UTF8.self)),
      let last = Int(String(decoding: ends[1], as: UTF8.self))
    else { return nil }
    return (first, last, ends[0].first == UInt8(ascii: "0") ? ends[0].count : 1)
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private static func combinations(_ axes: [(name: String, values: [ExpandedText])], count: Int) -> [Scope] {
    let names = axes.map(\.name)
    return (0..<count).map { number in
      var rest = number
      var values: [ExpandedText] = []
      for axis in axes.reversed() {
        values.append(axis.values[rest % axis.values.count])
        rest /= axis.values.count
      }
      return Scope(names: names, values: values.reversed())
    }
  }
}
