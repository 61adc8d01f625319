/// The receivers of other threads' letters, by ticket.
struct TicketBook {
  private var handlers: [Ticket: (Letter) -> Void] = [:]
  private var next = 0

  mutating func issue(_ handler: @escaping (Letter) -> Void) -> Ticket {
    let ticket = Ticket(number: next)
    next += 1
    handlers[ticket] = handler
    return ticket
  }

  mutating func forget(_ ticket: Ticket) { handlers[ticket] = nil }

  /// The handler for `ticket`; `nil` if it was forgotten.
  func handler(of ticket: Ticket) -> ((Letter) -> Void)? { handlers[ticket] }
}
