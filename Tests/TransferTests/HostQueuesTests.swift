import SyncModel
import Testing

@testable import Transfer

@Suite struct `The queues for the hosts` {
  private let a = WebOrigin(scheme: "https", host: "a.test", port: 443)
  private let b = WebOrigin(scheme: "http", host: "b.test", port: 80)

  private func id(_ number: Int) -> ExchangeID { ExchangeID(number: number) }

  @Test func `a host gets as many exchanges as its limit, in their order`() {
    let queues = HostQueues(limits: HostLimits(connections: ["a.test": 2]))
    for number in 1...5 { queues.enqueue(id(number), for: a, isUnderWay: false) }
    let first = queues.next(mayBegin: true)
    #expect(first?.id == id(1))
    #expect(queues.next(mayBegin: true)?.id == id(2))
    #expect(queues.next(mayBegin: true)?.id == nil)
    if let first { queues.release(first.charge) }
    #expect(queues.next(mayBegin: true)?.id == id(3))
    #expect(queues.next(mayBegin: true)?.id == nil)
  }

  @Test func `a full host does not hold up another, and hosts take turns`() {
    let queues = HostQueues(limits: HostLimits(otherwise: 2))
    for number in 1...4 { queues.enqueue(id(number), for: a, isUnderWay: false) }
    for number in 5...8 { queues.enqueue(id(number), for: b, isUnderWay: false) }
    var admitted: [Int] = []
    while let next = queues.next(mayBegin: true) { admitted.append(next.id.number) }
    #expect(admitted == [1, 5, 2, 6])
  }

  @Test func `requests begin no more often than the host's rate, and other hosts go on meanwhile`() {
    var limits = HostLimits()
    limits.connections["a.test"] = 8
    limits.rates["a.test"] = RequestRate(count: 2, period: .seconds(1))
    let start = MonotonicInstant.now
    var now = start
    let queues = HostQueues(limits: limits) { now }
    for number in 1...5 { queues.enqueue(id(number), for: a, isUnderWay: number == 5) }
    for number in 6...8 { queues.enqueue(id(number), for: b, isUnderWay: false) }
    var charges: [HostQueues.Charge] = []
    func admitAll() -> [Int] {
      var numbers: [Int] = []
      queues.refreshPaced()
      while var next = queues.next(mayBegin: true) {
        next.charge.requestGoesOut(at: now)
        charges.append(next.charge)
        numbers.append(next.id.number)
      }
      return numbers
    }
    // A redirect counts, and goes first.
    #expect(admitAll().sorted() == [1, 5, 6, 7, 8])
    #expect(admitAll().isEmpty)
    #expect(queues.timeToNext() == .milliseconds(1010))
    // The end of a request makes no room for another one, and is none itself.
    now = start + .milliseconds(500)
    for charge in charges { queues.release(charge) }
    charges = []
    now = start + .milliseconds(1009)
    #expect(admitAll().isEmpty)
    now = start + .milliseconds(1010)
    #expect(admitAll() == [2, 3])
    #expect(queues.timeToNext() == .milliseconds(1010))
    // A request that ended before it was sent counts, too.
    now = start + .milliseconds(2020)
    queues.refreshPaced()
    if let next = queues.next(mayBegin: true) { queues.release(next.charge) }
    #expect(queues.timeToNext() == nil)
  }

  @Test func `the rate of every host does not hold for a cache, and that of its own host does`() {
    var limits = HostLimits()
    limits.otherRate = RequestRate(count: 1, period: .seconds(60))
    limits.connections["b.test"] = 8
    limits.rates["b.test"] = RequestRate(count: 2, period: .seconds(60))
    let queues = HostQueues(limits: limits)
    for number in 1...3 { queues.enqueue(id(number), for: a, isUnderWay: false, isForCache: true) }
    for number in 4...6 { queues.enqueue(id(number), for: a, isUnderWay: false) }
    for number in 7...9 { queues.enqueue(id(number), for: b, isUnderWay: false, isForCache: true) }
    var admitted: [Int] = []
    while var next = queues.next(mayBegin: true) {
      next.charge.requestGoesOut(at: .now)
      admitted.append(next.id.number)
    }
    #expect(admitted.sorted() == [1, 2, 3, 4, 7, 8])
  }

  @Test func `sources and a cache share the connections of a host in the order of their arrival`() throws {
    for isUnderWay in [false, true] {
      let queues = HostQueues(limits: HostLimits(otherwise: 2))
      for number in 1...9 {
        queues.enqueue(id(number), for: a, isUnderWay: isUnderWay, isForCache: [2, 5, 6, 9].contains(number))
      }
      var held = [try #require(queues.next(mayBegin: true)), try #require(queues.next(mayBegin: true))]
      var admitted = held.map(\.id.number)
      while !held.isEmpty {
        #expect(held.count <= 2)
        queues.release(held.removeFirst().charge)
        if let next = queues.next(mayBegin: true) {
          admitted.append(next.id.number)
          held.append(next)
        }
      }
      #expect(admitted.sorted() == Array(1...9))
      // A lane that is listed already keeps its turn.
      #expect(zip(admitted, 1...9).allSatisfy { abs($0 - $1) <= 1 })
    }
  }

  @Test func `a host's own rate is one for its sources and the cache`() {
    var limits = HostLimits()
    limits.connections["a.test"] = 8
    limits.rates["a.test"] = RequestRate(count: 3, period: .seconds(60))
    let queues = HostQueues(limits: limits)
    for number in 1...8 { queues.enqueue(id(number), for: a, isUnderWay: false, isForCache: number > 4) }
    var count = 0
    while var next = queues.next(mayBegin: true) {
      next.charge.requestGoesOut(at: .now)
      count += 1
    }
    #expect(count == 3)
  }

  @Test func `a redirected request goes first, even if no other may begin`() {
    let queues = HostQueues(limits: HostLimits(otherwise: 8))
    queues.enqueue(id(1), for: a, isUnderWay: false)
    queues.enqueue(id(2), for: a, isUnderWay: true)
    #expect(queues.next(mayBegin: false)?.id == id(2))
    #expect(queues.next(mayBegin: false)?.id == nil)
    #expect(queues.next(mayBegin: true)?.id == id(1))
  }

  @Test func `a host with HTTP/2 gets up to 64 streams, until it no longer speaks HTTP/2`() {
    let queues = HostQueues(limits: HostLimits(otherwise: 1))
    for number in 1...100 { queues.enqueue(id(number), for: a, isUnderWay: false) }
    var charges: [HostQueues.Charge] = []
    func admitAll() { while let next = queues.next(mayBegin: true) { charges.append(next.charge) } }
    admitAll()
    #expect(charges.count == 1)
    queues.settle(&charges[0], isStream: true, hasMadeConnection: true)
    admitAll()
    // It is not known yet how many streams its connection carries.
    #expect(charges.count == 1)
    for index in 0..<63 {
      queues.settle(&charges[index], isStream: true, hasMadeConnection: false)
      admitAll()
      #expect(charges.count == index + 2)
    }
    queues.settle(&charges[63], isStream: true, hasMadeConnection: false)
    admitAll()
    #expect(charges.count == 64)
    queues.settle(&charges[1], isStream: false, hasMadeConnection: false)
    for charge in charges.dropFirst(2) { queues.release(charge) }
    charges.removeLast(62)
    admitAll()
    #expect(charges.count == 2)
  }

  @Test func `a host has more streams the fewer connections they take`() {
    func replies(_ count: Int, _ room: inout StreamRoom, made: Bool = false, underWay: Int = 64) {
      for _ in 0..<count { room.note(hasMadeConnection: made, underWay: underWay) }
    }
    var one = StreamRoom(limit: 8)
    replies(1, &one, made: true)
    #expect(one.count == 8)
    replies(56, &one)
    #expect(one.count == 64)
    replies(100, &one)
    #expect(one.count == 64)
    // A few streams fill a connection: the number of streams grows slowly, until there is one connection too many.
    var several = StreamRoom(limit: 8)
    replies(2, &several, made: true)
    replies(8, &several)
    #expect(several.count == 9)
    replies(9, &several)
    #expect(several.count == 10)
    replies(7, &several, made: true, underWay: 10)
    #expect(several.count == 9)
    replies(100, &several)
    #expect(several.count == 9)
    // A server that keeps ending its connections gets as many exchanges as it may have connections.
    replies(100, &several, made: true)
    #expect(several.count == 8)
  }

  @Test func `ten thousand exchanges wait and begin in order`() {
    let queues = HostQueues(limits: HostLimits(otherwise: 8))
    for number in 1...10_000 { queues.enqueue(id(number), for: b, isUnderWay: false) }
    var seen: [Int] = []
    while let next = queues.next(mayBegin: true) {
      seen.append(next.id.number)
      queues.release(next.charge)
    }
    #expect(seen == Array(1...10_000))
  }
}
