import ArgumentParser

/// Whether the manifest is trusted (contract, section 14).
struct PolicyOptions: ParsableArguments {
  @Flag(
    help:
      "The manifest is a stranger's: only https to public addresses, no files outside its folder, no secrets, variables or credentials of yours."
  )
  var untrusted = false

  @Option(
    help: ArgumentHelp(
      "Like --untrusted, with the restrictions and permissions of this policy; it must not come from the change under test.",
      valueName: "file"),
    completion: .file())
  var policy: String?

  func validate() throws {
    if policy == "" { throw ValidationError("--policy needs a file's name") }
  }
}
