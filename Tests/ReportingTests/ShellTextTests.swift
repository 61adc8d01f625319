import Foundation
import Reporting
import Testing

@Suite struct `Words for a shell` {
  @Test func `are in quotes where a shell would read them otherwise`() throws {
    #expect(ShellText.words([]) == "")
    #expect(ShellText.words(["-C", "data/x_1", "-f", "o.yaml"]) == " -C data/x_1 -f o.yaml")
    let odd = ["a b", "it's", "$HOME", "~x", "", "`ls`", "ü", "-", "a\\b", "*", "a'\u{301}b c"]
    let shell = Process()
    (shell.executableURL, shell.arguments) = (
      URL(fileURLWithPath: "/bin/sh"), ["-c", "printf '%s\\n'" + ShellText.words(odd)]
    )
    let output = Pipe()
    shell.standardOutput = output
    try shell.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    #expect(text == odd.map { $0 + "\n" }.joined())
  }
}
