/// Reads what `aria2c -i` reads: the URLs of a file on one line, with tabs between them, and below it indented options.
enum Aria2Reader {
  /// One download.
  private struct Entry {
    var urls: [String]
    var line: Int
    var options: [(line: Int, name: String, value: String)] = []
  }

  static func read(_ text: ForeignText) throws(ForeignFault) -> ForeignManifest {
    var manifest = ForeignManifest()
    var entry: Entry?
    for line in text.lines where line.isContent {
      if line.isIndented {
        guard entry != nil else {
          throw ForeignFault(
            "an option before the first URL", at: ForeignText.span(line.number, line.text, 0),
            hint: "the options of a file are below its URLs")
        }
        let (name, value) = line.option ?? ("an option without a value", "")
        entry?.options.append((line.number, name, value))
      } else {
        add(entry, to: &manifest)
        let urls = line.text.parts(between: UInt8(ascii: "\t"))
        entry = Entry(urls: urls.map(\.trimmed), line: line.number)
      }
    }
    add(entry, to: &manifest)
    return manifest
  }

  /// An indented URL counts as an option, too, and may hold a password.
  private static func isName(_ text: String) -> Bool {
    (1...40).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x20
      }
  }

  private static func add(_ entry: Entry?, to manifest: inout ForeignManifest) {
    guard let entry, var target = manifest.target(entry.urls, line: entry.line) else { return }
    var folder = ""
    var folderLine = entry.line
    var file: String?
    for (line, name, value) in entry.options {
      switch name {
      case "dir": (folder, folderLine) = (value, line)
      case "out": file = value
      case "checksum":
        let (kind, digest) = value.cut(at: UInt8(ascii: "=")) ?? (value, "")
        target.verify(kind, digest, line: line)
      case "header":
        let (field, content) = value.cut(at: UInt8(ascii: ":")) ?? (value, "")
        target.headers.append((field.trimmed, content.trimmed, line))
      case "user-agent": target.headers.append(("User-Agent", value, line))
      case "referer": target.headers.append(("Referer", value, line))
      case "http-user": target.user = value
      case "http-passwd": target.password = value
      case "max-tries":
        if let tries = Int(value), tries > 0 {
          target.retries = "\(tries - 1)"
        } else {
          target.remark("max-tries=\(Shown.clean(value, longest: 40)): `retries` is a number", line: line)
        }
      case "remote-time": if value == "true" { target.freshness = "mtime" }
      default:
        let what = Self.isName(name) ? name : "an option whose name is not shown"
        target.remark("\(what): a manifest has no such option", line: line)
      }
    }
    if folder.utf8.first == UInt8(ascii: "/") || folder.utf8.first == UInt8(ascii: "~") {
      target.remark("dir \(Shown.quoted(folder)): outputs are inside the manifest's folder", line: folderLine)
    } else {
      target.folder = folder
    }
    target.output = file.map { Folders.joined(target.folder, $0) }
    manifest.add(target)
  }
}
