internal import Glibc

/// The number of files a process may have open; many systems start with 1,024, less than the connections allowed.
enum OpenFileLimit {
  /// Raises the soft limit to `count` where the hard limit allows it.
  static func raise(to count: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(count) else {
      return
    }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
