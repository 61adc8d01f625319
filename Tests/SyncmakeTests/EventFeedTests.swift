import Testing

@testable import Syncmake

@Suite struct EventFeedTests {
  private func progress(_ target: String, _ received: Int64) -> Event {
    .progress(target: target, received: received, total: nil)
  }

  private func text(_ event: Event?) -> String {
    switch event {
    case .progress(let target, let received, _)?: "\(target) \(received)"
    case .retrying(let target, _, _, _)?: "\(target) again"
    case .started(let count)?: "started \(count)"
    case .ended?: "ended"
    case nil: "nil"
    default: "other"
    }
  }

  private var end: Event { .ended(RunResult(.cancelled)) }

  @Test func `of each target one progress waits, although others are between`() async {
    let feed = EventFeed()
    for received in 1...100 {
      for target in ["a", "b"] { feed.send(progress(target, Int64(received))) }
    }
    feed.send(.retrying(target: "a", attempt: 1, after: .zero, error: .cancelled))
    feed.send(progress("a", 1))
    feed.send(progress("a", 2))
    feed.send(end)
    var taken: [String] = []
    for _ in 1...6 { taken.append(text(await feed.next())) }
    #expect(taken == ["a 100", "b 100", "a again", "a 2", "ended", "nil"])
  }

  @Test func `events that were taken are let go, and the order stays`() {
    var pending = PendingEvents()
    for number in 0..<100 { _ = pending.add(.started(targets: number)) }
    for number in 0..<100_000 {
      let event = pending.take()
      #expect(text(event) == "started \(number)")
      _ = pending.add(.started(targets: number + 100))
      if pending.count > 300 { break }
    }
    #expect(pending.count <= 300)
    _ = pending.add(progress("a", 1))
    _ = pending.add(progress("a", 2))
    while let event = pending.take() {
      if case .progress = event { #expect(text(event) == "a 2") }
    }
    #expect(pending.count == 0)
  }

  @Test(.timeLimit(.minutes(1))) func `tasks that wait at once all go on`() async {
    let feed = EventFeed()
    await withTaskGroup(of: String.self) { group in
      for _ in 1...3 { group.addTask { text(await feed.next()) } }
      // Their order is not known; all of them may wait by now, or none.
      for _ in 1...10 { await Task.yield() }
      feed.send(.started(targets: 1))
      feed.send(end)
      let texts: [String] = await group.reduce(into: []) { $0.append($1) }
      #expect(texts.sorted() == ["ended", "nil", "started 1"])
    }
  }
}
