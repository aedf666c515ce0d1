import Glibc

/// The processor time that this thread spends in `work`, in seconds. Unlike the time that passes, it does not depend on
/// what else the machine does, so that two of them can be compared.
public func processorTime(of work: () throws -> Void) rethrows -> Double {
  let start = threadSeconds()
  try work()
  return threadSeconds() - start
}

private func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
