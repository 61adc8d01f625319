/// The texts of `init`.
package enum InitText {
  /// The written files and the next step.
  ///
  /// `schema` is the path of the schema's copy, `nil` if there is none.
  package static func done(manifest: String, schema: String?) -> String {
    var text = "wrote \(CleanText.clean(manifest))"
    if let schema { text += ", and \(CleanText.clean(schema)) for editors" }
    return text + "\nnext: `syncmake add URL` adds a file, `syncmake` downloads it\n"
  }

  /// Why no manifest was written: one exists.
  package static func alreadyThere(_ manifest: String) -> (message: String, hint: String) {
    (
      "\(CleanText.clean(manifest)) already exists; it is unchanged",
      "`syncmake add URL` adds a file to it; -f FILE names another manifest"
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
