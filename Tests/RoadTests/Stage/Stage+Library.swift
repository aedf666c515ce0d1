import Foundation
import Testing

extension Stage {
  /// Compiles a library of C, to load before a program's own with `LD_PRELOAD`. Nil where nothing can compile it.
  func library(_ source: String, _ name: String) throws -> String? {
    let file = try write(source, to: name + ".c")
    let made = folder + "/" + name + ".so"
    for compiler in ["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang", "/opt/swift/usr/bin/clang"]
    where FileManager.default.isExecutableFile(atPath: compiler) {
      if try run(program: compiler, ["-shared", "-fPIC", "-o", made, file, "-ldl"]).succeeded { return made }
    }
    return nil
  }

  /// The environment of a program whose wall clock is wrong by so many seconds.
  func clock(wrongBy seconds: Int) throws -> [String: String] {
    guard seconds != 0 else { return [:] }
    let library = try #require(try library(Self.clockSource, "clock"), "no C compiler")
    return ["LD_PRELOAD": library, "CLOCK_SECONDS": "\(seconds)"]
  }

  /// The end of a wait that is a time of the wall clock is corrected, so that it takes as long as before.
  private static let clockSource = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <semaphore.h>
    #include <stdlib.h>
    #include <sys/time.h>
    #include <time.h>
    static long error(void) {
      const char *seconds = getenv("CLOCK_SECONDS");
      return seconds ? atol(seconds) : 0;
    }
    int clock_gettime(clockid_t clock, struct timespec *now) {
      int result = ((int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime"))(clock, now);
      if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += error();
      return result;
    }
    int gettimeofday(struct timeval *now, void *zone) {
      struct timespec precise;
      if (clock_gettime(CLOCK_REALTIME, &precise)) return -1;
      *now = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
      return 0;
    }
    time_t time(time_t *now) {
      struct timespec precise;
      clock_gettime(CLOCK_REALTIME, &precise);
      if (now) *now = precise.tv_sec;
      return precise.tv_sec;
    }
    int sem_timedwait(sem_t *semaphore, const struct timespec *end) {
      struct timespec right = {end->tv_sec - error(), end->tv_nsec};
      return ((int (*)(sem_t *, const struct timespec *))dlsym(RTLD_NEXT, "sem_timedwait"))(semaphore, &right);
    }
    """
}
