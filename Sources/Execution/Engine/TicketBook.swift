/// The receivers of other threads' letters, by ticket.
struct TicketBook {
  private var handlers: [Ticket: (handler: (Letter) -> Void, isForOne: Bool)] = [:]
  private var next = 0

  /// `isForOne`: whether it is forgotten with its first letter.
  mutating func issue(isForOne: Bool, _ handler: @escaping (Letter) -> Void) -> Ticket {
    let ticket = Ticket(number: next)
    next += 1
    handlers[ticket] = (handler, isForOne)
    return ticket
  }

  mutating func forget(_ ticket: Ticket) { handlers[ticket] = nil }

  /// The handler for a letter to `ticket`; `nil` if it was forgotten.
  mutating func takeHandler(of ticket: Ticket) -> ((Letter) -> Void)? {
    guard let found = handlers[ticket] else { return nil }
    if found.isForOne { forget(ticket) }
    return found.handler
  }
}
