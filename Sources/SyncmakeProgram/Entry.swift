import SyncmakeCLI

@main
enum Entry {
  static func main() { CommandLineProgram.main() }
}
