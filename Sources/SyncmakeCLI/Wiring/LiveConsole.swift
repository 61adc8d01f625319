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

  init(_ manifest: Manifest, style: TextStyle) {
    run = LiveRun(manifest: manifest)
    self.style = style
  }

  /// Draws what `event` changed, if it is time to.
  func handle(_ event: RunEvent) {
    let now = SystemClock.monotonic() - began
    run.handle(event, at: now)
    guard !isFinished, now >= Self.delay, now - lastDrawn >= Self.pause, let size = Console.errorSize else {
      return
    }
    lastDrawn = now
    heedContinuation()
    draw(at: now, size)
  }

  /// Prints whole lines above the drawing; `print` writes them, possibly to standard output.
  func above(_ text: String, print: (String) -> Void) {
    heedContinuation()
    let size = Console.errorSize
    let before = screen.erase(columns: size?.columns ?? 80)
    write(before)
    print(text)
    // What was drawn is out of date where the text tells of a target's end.
    if !before.isEmpty, let size { draw(at: SystemClock.monotonic() - began, size) }
  }

  private func draw(at now: Duration, _ size: (columns: Int, rows: Int)) {
    let lines = LiveLines.render(run, at: now, columns: size.columns, rows: size.rows, style: style)
    write(screen.draw(lines, columns: size.columns))
  }

  /// Removes the drawing for good.
  func finish() {
    isFinished = true
    heedContinuation()
    write(screen.erase(columns: Console.errorSize?.columns ?? 80))
  }

  /// After Ctrl-Z and `fg`, other lines are where the drawing was: it begins again below them.
  private func heedContinuation() {
    if Interruption.wasContinued() { screen = LiveScreen() }
  }

  private func write(_ bytes: String) {
    if !bytes.isEmpty { Console.err(bytes) }
  }
}
