import Platform
import Reporting
import SyncModel

/// Standard error as a terminal with a drawing of the run's progress below the printed lines.
///
/// Only the deciding thread calls it, so nothing here is shared.
final class LiveConsole {
  /// Between two drawings; less is flicker.
  private static let pause = Duration.milliseconds(100)
  /// A shorter run gets no drawing.
  private static let delay = Duration.milliseconds(300)

  private let style: TextStyle
  private let began = SystemClock.monotonic()
  private var lastDrawn = Duration.zero
  private var run: LiveRun
  private var screen = LiveScreen()
  private var isFinished = false
  /// Whole lines that are printed when it is time to draw again, and what writes them.
  private var waiting: [(text: String, print: (String) -> Void)] = []

  private var now: Duration { SystemClock.monotonic() - began }

  init(_ manifest: Manifest, style: TextStyle) {
    run = LiveRun(manifest: manifest)
    self.style = style
  }

  /// Takes in `event`, and draws what it changed, if it is time to.
  func handle(_ event: RunEvent) {
    note(event)
    update()
  }

  /// Takes in `event`; ``update()`` draws what it changed.
  func note(_ event: RunEvent) { run.handle(event, at: now) }

  /// Prints the lines that wait and draws what changed below them, if it is time to.
  func update() {
    let now = now
    guard !isFinished, now >= Self.delay, now - lastDrawn >= Self.pause else {
      // After the last target no event may come for long.
      if run.isDone, !waiting.isEmpty { clear() }
      return
    }
    lastDrawn = now
    heedContinuation()
    if !waiting.isEmpty { clear() }
    guard let size = Console.errorSize else { return }
    let lines = LiveLines.render(run, at: now, columns: size.columns, rows: size.rows, style: style)
    write(screen.draw(lines, columns: size.columns))
  }

  /// Prints whole lines above the drawing: at once if nothing is drawn, else when it is time to draw again or the
  /// drawing ends. `print` writes them, possibly to standard output.
  func above(_ text: String, print: @escaping (String) -> Void) {
    guard !screen.isEmpty || !waiting.isEmpty else { return print(text) }
    waiting.append((text, print))
  }

  /// Removes the drawing for good, and prints the lines that wait.
  func finish() {
    isFinished = true
    clear()
  }

  /// Removes the drawing, and prints the lines that wait in its place.
  private func clear() {
    heedContinuation()
    write(screen.erase(columns: Console.errorSize?.columns ?? 80))
    for line in waiting { line.print(line.text) }
    waiting = []
  }

  /// After Ctrl-Z and `fg`, other lines are where the drawing was: it begins again below them.
  private func heedContinuation() {
    if Interruption.wasContinued() { screen = LiveScreen() }
  }

  private func write(_ bytes: String) {
    if !bytes.isEmpty { Console.err(bytes) }
  }
}
