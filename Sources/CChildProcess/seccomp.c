// clone flags are an extension of POSIX.
#define _GNU_SOURCE
#include "calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

// Classic BPF, see seccomp(2). Jumps count from the next instruction.
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSE(error) RETURN(SECCOMP_RET_ERRNO | (error))
#define REFUSE_CALL(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 1), REFUSE(EPERM)
// Only the lower half of the first argument is checked: both architectures are little-endian.
#define ALLOW_IF(number, test, value) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 4), LOAD(args[0]), \
      BPF_JUMP(BPF_JMP | BPF_##test | BPF_K, value, 0, 1), RETURN(SECCOMP_RET_ALLOW), REFUSE(EPERM)

int plumb_confine_calls(void) {
#ifndef OWN_ARCHITECTURE
  return 1;
#else
  uint32_t own = (uint32_t)getpid();
  struct sock_filter filter[] = {
      // Another architecture has other system call numbers.
      LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0), REFUSE(EPERM), LOAD(nr),
      // The x32 ABI also has other numbers.
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), REFUSE(EPERM),
      // Sockets.
      REFUSE_CALL(socket), REFUSE_CALL(connect), REFUSE_CALL(bind), REFUSE_CALL(listen), REFUSE_CALL(accept),
      REFUSE_CALL(accept4),
      // Other processes.
      REFUSE_CALL(ptrace), REFUSE_CALL(process_vm_readv), REFUSE_CALL(process_vm_writev), REFUSE_CALL(kill),
      REFUSE_CALL(tkill), REFUSE_CALL(pidfd_open), REFUSE_CALL(pidfd_send_signal), REFUSE_CALL(pidfd_getfd),
      // Calls that a reader of symbols does not need, and that had most of the kernel's vulnerabilities.
      REFUSE_CALL(unshare), REFUSE_CALL(setns), REFUSE_CALL(mount), REFUSE_CALL(bpf), REFUSE_CALL(perf_event_open),
      REFUSE_CALL(userfaultfd), REFUSE_CALL(io_uring_setup), REFUSE_CALL(keyctl), REFUSE_CALL(add_key),
      REFUSE_CALL(request_key), REFUSE_CALL(open_by_handle_at),
#ifdef SYS_fork
      REFUSE_CALL(fork), REFUSE_CALL(vfork),
#endif
      // Its flags are behind a pointer, which a filter cannot read. Without clone3 the C library uses clone.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1), REFUSE(ENOSYS),
      // Allowed are threads, signals to itself (which abort() sends) and its own limits, but no new processes.
      ALLOW_IF(clone, JSET, CLONE_THREAD), ALLOW_IF(tgkill, JEQ, own), ALLOW_IF(prlimit64, JEQ, 0),
      RETURN(SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0 || errno == EINVAL;
#endif
}
