import SyncModel

/// How a file becomes targets (contract, section 11, "Rows").
///
/// The file is read twice: for the names, and once all names are known, for the rest. So nothing of it is kept. A problem
/// that the first reading finds is one of its line, and the second reading goes on with the others.
extension ManifestReader {
  /// As many problems of one file are reported, and as many conflicts of its outputs.
  private static let mostProblems = 20

  /// The key `rows` of a matrix, if it names a file; a list or a range makes it an ordinary key.
  func rowFile(in matrix: Mapping) -> MappingEntry? {
    matrix.first { entry in
      document.text(of: entry.key) == "rows" && document[entry.value].kind == .scalar && !isRange(entry.value)
    }
  }

  /// The file that `rows` names.
  func rows(_ rows: MappingEntry, among entries: Mapping) -> MatrixReading {
    let unknown = MatrixReading.lost(Scope(row: RowCursor(.tabs)))
    for other in entries where other.key != rows.key {
      error(
        "\"rows\" and other keys of a matrix exclude each other", at: other.key,
        hint: "make \(quoted(document.text(of: other.key))) a column of the file")
    }
    guard let path = rowPath(rows.value) else { return unknown }
    guard let format = RowCursor.Format(path: path.text) else {
      error(
        "the ending of \(quoted(path.text)) does not say what its rows are", at: rows.value,
        hint: "name it .tsv (a header, and tabs between fields) or .ndjson (an object on each line)")
      return unknown
    }
    guard entries.count == 1, !entries.isIncomplete else { return unknown }
    return .rows(RowTable(path, format, at: rows.value))
  }

  private func rowPath(_ id: NodeID) -> RelativePath? {
    let want = Want("rows", "a file such as urls.tsv")
    guard let text = name(id, want) else { return nil }
    guard hasNoControl(text, at: id, want) else { return nil }
    do throws(RelativePath.Fault) { return try home.rooted(text) } catch {
      switch error {
      case .empty, .hasNUL, .endsInSlash: unwanted(text, at: id, want)
      case .absolute, .leavesRoot:
        self.error(
          "\(quoted(text)) is outside \(home.boundary)", at: id,
          hint: "a row file is in \(home.boundary) or below it")
      }
      return nil
    }
  }

  // MARK: The names

  /// Declares a target for each row of a file.
  func declareRows(
    of new: RowTable, _ entry: MappingEntry, _ fields: Fields<TargetKey>, _ repeated: inout Int
  ) {
    reserved.add(new.path.text)
    var table = new
    table.first = drafts.count
    let problems = log.count
    let scope = table.scope
    var areColumnsFit: Bool?
    var isOver = false
    var earlier = log
    let most = mostRows(entry, fields, repeated)
    table.sum = walk(table) {
      let isFit = areColumnsFit ?? hasFitColumns(table, entry.key)
      areColumnsFit = isFit
      isOver = table.count == most
      guard isFit, !isOver else { return false }
      // There may have been lines with problems.
      if log.count > earlier.count { earlier = log }
      declareRow(entry.key, scope, &table, &earlier)
      return log.count < problems + Self.mostProblems
    }
    if table.sum != nil, areColumnsFit == nil, log.count == problems {
      error("\(quoted(table.path.text)) has no rows", at: table.place)
    }
    _ = hasRoom(for: table.count + (isOver ? 1 : 0), after: table.first, entry, fields, &repeated)
    table.problems = log.count - problems
    if table.problems > 0 || table.sum == nil { lose(entry.key, table.scope, isRepetition: false) }
    tables.append(table)
  }

  /// How many targets the limits allow the file.
  private func mostRows(_ entry: MappingEntry, _ fields: Fields<TargetKey>, _ repeated: Int) -> Int {
    guard repeated >= 0, let matrix = fields[.matrix] else { return 0 }
    return min(
      max(0, mostTargets - drafts.count),
      (Self.repetitionBudget - repeated) / weight(of: entry, without: matrix))
  }

  /// `earlier` is the log as it is.
  private func declareRow(
    _ key: NodeID, _ scope: Scope, _ table: inout RowTable, _ earlier: inout DiagnosticLog
  ) {
    guard let name = checkedName(key, scope) else { return blame(table, &earlier) }
    guard !omitsTargets || !isOmitted(name, at: key) else { return }
    switch claim(name, as: drafts.count) {
    case nil:
      drafts.append(
        TargetDraft(
          name: name, template: templates.count - 1, values: table.values, isRepetition: table.count > 0))
      table.add()
    case .target(let other) where refuseName(ofListed: other): break
    case .target(let other):
      let place =
        table.contains(other) ? "line \(table.line(of: other.index - table.first))" : self.place(of: other)
      error("duplicate target name \(quoted(name))", in: table, hint: "already defined on \(place)")
    case .group(let index): refuseName(ofGroup: index, name, at: span(key))
    }
  }

  /// Where a target is defined.
  private func place(of target: TargetID) -> String {
    if let table = tables.first(where: { $0.contains(target) }) {
      return "line \(table.line(of: target.index - table.first)) of \(quoted(table.path.text))"
    }
    return place(keySpan(of: target.index))
  }

  /// Whether the targets can differ by the columns, and no column hides a variable.
  private func hasFitColumns(_ table: RowTable, _ key: NodeID) -> Bool {
    let names = table.cursor.names
    for name in names where variables.defines(name) {
      error(
        "\(quoted(name)) is the name of a column and of a variable", at: table.place,
        hint: "give one of them another name")
      return false
    }
    let used = (try? Template(document.text(of: key)))?.variableNames ?? names
    guard used.contains(where: names.contains) else {
      error(
        "the target's name has no column of \(quoted(table.path.text))", at: key,
        hint: "the names must differ: \(document.text(of: key))-${\(names[0])}")
      return false
    }
    return true
  }

  // MARK: The rest

  /// Reads the targets of a file's rows.
  func readRows(of table: RowTable, _ read: inout PiecewiseArray<ReadTarget>) {
    let end = table.first + table.count
    defer {
      while read.count < end { read.append(unread(drafts[read.count])) }
    }
    guard let sum = table.sum, table.count > 0 else { return }
    // What is wrong in the manifest is found without a row, and a place that has a problem gets no other.
    readForProblems(
      TargetDraft(name: "", template: drafts[table.first].template, values: table.values, isRepetition: false)
    )
    let template = drafts[table.first].template
    let (fields, key, scope) = (fields(of: template), templates[template].key, table.scope)
    let before = log
    let most = before.count + Self.mostProblems - table.problems
    var earlier = before
    let found = walk(table) {
      // A line that was none before: the file was changed.
      guard log.count == earlier.count else { return false }
      guard read.count < end else { return true }
      // A row without a target is one that waits for a list, or whose name has a problem.
      guard table.cursor.line == table.line(of: read.count - table.first) else { return true }
      read.append(
        mayWait
          ? readAwaiting(read.count)
          : readTarget(fields, scope, key: key, isRepetition: read.count > table.first))
      if log.count > earlier.count { blame(table, &earlier) }
      return log.count < most
    }
    // After the most problems the rest was not read.
    guard log.count < most, found != sum || read.count < end else { return }
    log = before
    error(
      "\(quoted(table.path.text)) was changed while it was read", at: table.place,
      hint: "run again when no program writes to it")
  }

  /// Notes two outputs of which the second is a row's, and conflicts with the first; whether it is. `place` is that of the
  /// output in the manifest.
  func refuseRow(_ conflict: OutputConflict, _ path: RelativePath, at place: SourceSpan) -> Bool {
    let second = TargetID(conflict.second)
    guard let number = tables.firstIndex(where: { $0.contains(second) }) else { return false }
    // A wrong template of outputs would give one for each of a million rows.
    guard tables[number].conflicts.count < Self.mostProblems else { return true }
    let other = quoted(drafts[conflict.first].name)
    let first = self.place(of: TargetID(conflict.first))
    tables[number].conflicts.append(
      RowTable.Conflict(
        line: tables[number].line(of: second.index - tables[number].first),
        message: conflict.isSame
          ? "duplicate output \(quoted(path.text))"
          : "output \(quoted(path.text)) conflicts with that of target \(other)",
        hint: "target \(other) is defined on \(first); see \(self.place(place))"))
    return true
  }

  /// Reports the conflicts of rows that were noted. For their lines the files are read once more.
  func reportConflictsOfRows() {
    for table in tables where !table.conflicts.isEmpty {
      let texts = self.texts(ofLines: table.conflicts.map(\.line), in: table)
      for conflict in table.conflicts {
        log.error(
          conflict.message, in: row(conflict.line, of: table, texts[conflict.line]), hint: conflict.hint)
      }
    }
  }

  /// Stands for a target of which nothing is known.
  private func unread(_ draft: TargetDraft) -> ReadTarget {
    ReadTarget(
      outputPlace: templates[draft.template].key, lacksReferences: true, shared: defaults.shared, needs: [],
      after: [],
      references: [])
  }

  // MARK: Reading the file

  /// Hands each row to `body`, until that wants no more. Returns the sum of the file; `nil` if not all of it was read. A
  /// line that is no row is a problem, and the others are still read if they can be.
  private func walk(_ table: RowTable, _ body: () -> Bool) -> ByteSum.Value? {
    guard let files = context.rowFiles else {
      error("\"rows\" is not supported here", at: table.place)
      return nil
    }
    let cursor = table.cursor
    cursor.rewind()
    // Another file may have other columns in the same texts.
    (rowTexts, rowSteps) = (NodeTable(), NodeTable())
    defer { cursor.leave() }
    var sum = ByteSum(context.sumKey)
    var isWhole = true
    let problems = log.count
    func take(_ line: UnsafeRawBufferPointer) -> Bool {
      do throws(RowFault) {
        guard try unsafe cursor.take(line) else { return true }
      } catch {
        self.error(error.message, in: table, hint: error.hint)
        isWhole =
          !cursor.isUnknown && line.count <= RowCursor.longestLine
          && log.count < problems + Self.mostProblems
        return isWhole
      }
      isWhole = body()
      return isWhole
    }
    do throws(FailureCause) {
      try unsafe readLines(of: table, files, &sum, take)
    } catch {
      let (message, hint) = unreadable(table.path, error)
      self.error(message, at: table.place, hint: hint)
      return nil
    }
    return isWhole ? sum.value : nil
  }

  /// Hands each line to `take`, until that wants no more.
  private func readLines(
    of table: RowTable, _ files: RowFileReading, _ sum: inout ByteSum,
    _ take: (UnsafeRawBufferPointer) -> Bool
  ) throws(FailureCause) {
    var cutter = LineCutter()
    var goesOn = true
    try unsafe files.read(table.path) { block in
      unsafe sum.update(block)
      goesOn = unsafe cutter.cut(block, limit: RowCursor.longestLine, take)
      return goesOn
    }
    if goesOn { unsafe cutter.finish(take) }
  }

  /// The texts of these lines, of which the last is the last one; fewer if the file cannot be read any more.
  private func texts(ofLines lines: [Int], in table: RowTable) -> [Int: String] {
    guard let files = context.rowFiles, let last = lines.last else { return [:] }
    let cursor = table.cursor
    var texts: [Int: String] = [:]
    func take(_ line: UnsafeRawBufferPointer) -> Bool {
      _ = try? unsafe cursor.take(line)
      if lines.contains(cursor.line) { texts[cursor.line] = cursor.text }
      return cursor.line < last
    }
    cursor.rewind()
    defer { cursor.leave() }
    var sum = ByteSum(context.sumKey)
    try? unsafe readLines(of: table, files, &sum, take)
    return texts
  }

  // MARK: Problems

  /// Makes the first problem since `earlier` one of the cursor's row; the others may follow from it.
  private func blame(_ table: RowTable, _ earlier: inout DiagnosticLog) {
    defer { earlier = log }
    guard let problem = log.first(after: earlier) else { return }
    log = earlier
    error(problem.message, in: table, hint: problem.hint, see: problem.span)
  }

  /// Reports a problem of the cursor's row; the hint names `place` in the manifest too, by default that of the file's name.
  private func error(_ message: String, in table: RowTable, hint: String?, see place: SourceSpan? = nil) {
    let see = "see \(self.place(place ?? span(table.place)))"
    log.error(
      message, in: row(table.cursor.line, of: table, table.cursor.text),
      hint: hint.map { "\($0); \(see)" } ?? see)
  }

  private func row(_ line: Int, of table: RowTable, _ text: String? = nil) -> DiagnosticLog.Row {
    DiagnosticLog.Row(
      file: context.fileName.folderPrefix + table.path.text, line: line,
      text: text.flatMap { $0.utf8.count <= SourceText.longestShownLine ? $0 : nil })
  }
}
