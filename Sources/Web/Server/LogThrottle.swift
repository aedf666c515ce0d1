public import Dispatch
import Synchronization

/// Limits log lines that requests cause. Clients decide how many there are, some of them without a login or a key.
///
/// The first line of a cause is written at once. The lines of the next minute are counted and then written as one line
/// with their number. The cause of a line is its text up to the first colon.
public final class LogThrottle: Sendable {
  private struct Cause {
    var count = 0
    var last = ""
  }

  private let pause: DispatchTimeInterval
  private let write: @Sendable (String) -> Void
  private let causes = Mutex<[String: Cause]>([:])
  /// The maximum number of causes that are distinguished within a minute.
  private static let mostCauses = 50

  public init(pause: DispatchTimeInterval = .seconds(60), write: @escaping @Sendable (String) -> Void) {
    self.pause = pause
    self.write = write
  }

  public func add(_ line: String) {
    let named = line.prefix { $0 != ":" }.description
    let first: String? = causes.withLock { causes in
      let name = causes[named] != nil || causes.count < Self.mostCauses ? named : ""
      guard causes[name] != nil else {
        causes[name] = Cause()
        return name
      }
      causes[name]?.count += 1
      causes[name]?.last = line
      return nil
    }
    guard let first else { return }
    write(line)
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause) { [self] in
      let ended = causes.withLock { $0.removeValue(forKey: first) }
      guard let ended, ended.count > 0 else { return }
      write(ended.count == 1 ? ended.last : "\(ended.last) (\(ended.count) such lines in a minute)")
    }
  }
}
