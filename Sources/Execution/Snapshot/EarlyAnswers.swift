import Transfer

/// What ``QuickCheck`` asked sources before it found that the ordinary way is to be gone; a run takes it over, so that
/// nobody is asked twice.
package final class EarlyAnswers {
  let replies: EarlyReplies

  init(_ replies: EarlyReplies) { self.replies = replies }
}
