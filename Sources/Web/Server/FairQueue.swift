import Dispatch
import Synchronization

/// A queue of work for a few threads, in which clients take fair turns.
///
/// Start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996) with measured costs: the next job belongs to the
/// waiting client that has used the least time, so a flood of expensive work delays only itself. The queue is bounded,
/// and a client may hold at most as many places as are free, so other clients always find a place.
///
/// A job that takes longer than `patience` does not block others: with `spare` threads, another thread starts. One
/// client may use at most all but one of the threads.
final class FairQueue<Owner: Hashable & Sendable>: Sendable {
  private struct Line {
    /// Jobs in the order of arrival. Jobs that were taken are nil, to free their memory.
    var jobs: [(@Sendable () -> Void)?] = []
    /// The index of the first job that has not been taken.
    var next = 0
    /// Virtual time in nanoseconds: `State.progress` when the client arrived, plus the time that its jobs used since
    /// then.
    var used: UInt64
    var running = 0

    var waiting: Int { jobs.count - next }
  }

  private struct State {
    var lines: [Owner: Line] = [:]
    var waiting = 0
    /// When each running job started; nil for a thread between two jobs.
    var threads: [Int: UInt64?] = [:]
    var lastThread = 0
    var isWatched = false
    /// The virtual time of the client whose job was taken last, in nanoseconds.
    var progress: UInt64 = 0
  }

  private let queue: DispatchQueue
  private let threads: Int
  private let limit: Int
  private let spare: Int
  private let mostOfOne: Int
  private let state = Mutex(State())

  /// The nanoseconds after which a job no longer counts as one of `threads`.
  private static var patience: UInt64 { 250_000_000 }

  /// Creates a queue in which at most `limit` jobs wait for `threads` threads, plus `spare` threads during slow jobs.
  /// `most`: the maximum number of threads per client; nil for all but one.
  init(
    label: String, qos: DispatchQoS = .utility, threads: Int, spare: Int = 0, most: Int? = nil, limit: Int
  ) {
    mostOfOne = most ?? (spare > 0 ? threads + spare - 1 : threads)
    queue = DispatchQueue(label: label, qos: qos, attributes: .concurrent)
    self.threads = threads
    self.spare = spare
    self.limit = limit
  }

  /// The number of waiting jobs.
  var waiting: Int { state.withLock { $0.waiting } }

  /// Runs `work` when it is the owner's turn. Returns false without running it if too many jobs are waiting.
  func run(for owner: Owner, _ work: @escaping @Sendable () -> Void) -> Bool {
    let isTaken = state.withLock { state in
      var line = state.lines[owner] ?? Line(used: state.progress)
      // An owner may hold at most as many places as are free afterwards, so a single owner gets half of them.
      guard line.waiting + 1 <= limit - state.waiting else { return false }
      line.jobs.append(work)
      state.lines[owner] = line
      state.waiting += 1
      return true
    }
    if isTaken { startThread() }
    return isTaken
  }

  /// Starts a thread if jobs are waiting and the limit allows it. Otherwise checks again when a running job becomes
  /// slow.
  private func startThread() {
    let now = DispatchTime.now().uptimeNanoseconds
    let (thread, isToWatch): (Int?, Bool) = state.withLock { state in
      guard state.waiting > 0 else { return (nil, false) }
      if busy(state, now) < threads, state.threads.count < threads + spare {
        state.lastThread += 1
        state.threads[state.lastThread] = .some(nil)
        return (state.lastThread, false)
      }
      let isToWatch = spare > 0 && !state.isWatched
      state.isWatched = state.isWatched || isToWatch
      return (nil, isToWatch)
    }
    if let thread { queue.async { self.drain(thread) } }
    if isToWatch {
      queue.asyncAfter(deadline: .now() + .nanoseconds(Int(Self.patience))) { [self] in
        state.withLock { $0.isWatched = false }
        startThread()
      }
    }
  }

  /// The number of threads whose job is not slow yet.
  private func busy(_ state: State, _ now: UInt64) -> Int {
    state.threads.values.count { began in began.map { now < $0 + Self.patience } ?? true }
  }

  private func drain(_ thread: Int) {
    while let (owner, work) = state.withLock({ take(&$0, thread) }) {
      let start = DispatchTime.now().uptimeNanoseconds
      work()
      let cost = DispatchTime.now().uptimeNanoseconds &- start
      state.withLock {
        $0.threads[thread] = .some(nil)
        Self.finish(owner, cost, &$0)
      }
    }
  }

  /// Takes the next job. Nil if none is waiting or if there are enough threads; the thread then ends.
  private func take(_ state: inout State, _ thread: Int) -> (Owner, @Sendable () -> Void)? {
    let now = DispatchTime.now().uptimeNanoseconds
    let next = state.lines.lazy.filter { $0.value.waiting > 0 && $0.value.running < self.mostOfOne }
      .min { $0.value.used < $1.value.used }
    guard busy(state, now) <= threads, let (owner, found) = next, let work = found.jobs[found.next] else {
      state.threads[thread] = nil
      return nil
    }
    state.threads[thread] = .some(now)
    var line = found
    line.jobs[line.next] = nil
    line.next += 1
    line.running += 1
    if line.next == line.jobs.count {
      (line.jobs, line.next) = ([], 0)
    } else if line.next >= 64 {
      line.jobs.removeFirst(line.next)
      line.next = 0
    }
    state.lines[owner] = line
    state.waiting -= 1
    state.progress = max(state.progress, line.used)
    return (owner, work)
  }

  private static func finish(_ owner: Owner, _ cost: UInt64, _ state: inout State) {
    guard var line = state.lines[owner] else { return }
    line.running -= 1
    line.used &+= max(1, cost)
    // Remove a client without jobs. When it returns, it starts at the virtual time of the others.
    state.lines[owner] = line.running == 0 && line.waiting == 0 ? nil : line
  }
}
