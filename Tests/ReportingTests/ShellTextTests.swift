import Reporting
import SyncTestSupport
import Testing

@Suite struct `Words for a shell` {
  @Test func `are in quotes where a shell would read them otherwise`() throws {
    #expect(ShellText.words([]) == "")
    #expect(ShellText.words(["-C", "data/x_1", "-f", "o.yaml"]) == " -C data/x_1 -f o.yaml")
    let odd = ["a b", "it's", "$HOME", "~x", "", "`ls`", "ü", "-", "a\\b", "*", "a'\u{301}b c"]
    let printed = try runProcess("/bin/sh", ["-c", "printf '%s\\n'" + ShellText.words(odd)])
    #expect(printed.stdout == odd.map { $0 + "\n" }.joined())
  }
}
