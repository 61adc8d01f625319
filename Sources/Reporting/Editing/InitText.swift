/// The texts of `init`.
package enum InitText {
  /// The written files and the next step.
  ///
  /// `schema` is the path of the schema's copy, `nil` if there is none; `place` is a ``ShellText`` of the options that name
  /// the manifest.
  package static func done(manifest: String, schema: String?, place: String = "") -> String {
    let place = CleanText.clean(place)
    var text = "wrote \(CleanText.clean(manifest))"
    if let schema { text += ", and \(CleanText.clean(schema)) for editors" }
    return text + "\nnext: `syncmake add\(place) URL` adds a file, `syncmake\(place)` downloads it\n"
  }

  /// The same for a manifest that was made of the file `from`, and what a person must do.
  ///
  /// `kind` is what that file is; `open` counts what was not converted; `environment` has the variables in place of
  /// secrets; `missing` is the variable that must be filled in.
  package static func converted(
    manifest: String, schema: String?, from: String, kind: String, targets: Int, open: Int,
    environment: [String], missing: String?, place: String = ""
  ) -> String {
    let place = CleanText.clean(place)
    let manifest = CleanText.clean(manifest)
    var text = "wrote \(manifest)"
    if let schema { text += ", and \(CleanText.clean(schema)) for editors" }
    text += "\n\(Quantity.count(targets, "target")) from \(CleanText.clean(from)), \(kind)\n"
    if open > 0 {
      text += "\(open) not converted: search for \"not converted\" in \(manifest)\n"
    }
    if let missing {
      text += "fill in \(missing) in \(manifest): \(CleanText.clean(from)) does not have it\n"
    }
    if !environment.isEmpty {
      text += "secrets were not copied; set \(environment.prefix(5).row(of: environment.count))\n"
    }
    return text + "next: `syncmake\(place) -n` says what a run would do, `syncmake\(place)` does it\n"
  }

  /// Why no manifest was written: one exists. `place` has the options that lead to it.
  package static func alreadyThere(_ manifest: String, place: String) -> (message: String, hint: String) {
    (
      "\(CleanText.clean(manifest)) already exists; it is unchanged",
      "`syncmake add\(CleanText.clean(place)) URL` adds a file to it; -f FILE names another manifest"
    )
  }

  /// That the schema's copy is another than this program's.
  package static func otherSchema(_ schema: String) -> (message: String, hint: String) {
    let schema = CleanText.clean(schema)
    return (
      "\(schema) is not the schema of this version of syncmake; it is unchanged",
      "`syncmake schema > \(schema)` replaces it"
    )
  }
}
