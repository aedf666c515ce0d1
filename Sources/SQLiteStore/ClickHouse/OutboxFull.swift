/// The error for a batch of a ledger if the ClickHouse servers have not yet stored enough of the earlier changes. The
/// same batch can be applied later.
struct OutboxFull: Error, Sendable, Equatable, CustomStringConvertible {
  /// The size of the waiting blocks, in bytes.
  let waiting: Int
  let most: Int

  var description: String {
    "\(waiting >> 20) MiB of changes wait for ClickHouse; the limit is \(most >> 20) MiB. The digest waits until some are stored."
  }
}
