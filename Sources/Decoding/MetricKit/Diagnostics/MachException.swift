/// Names of Mach's exception types (XNU, `osfmk/mach/exception_types.h`).
enum MachException {
  /// `EXC_BAD_ACCESS` for 1; nil for a number without a name.
  static func name(ofType type: Int) -> String? {
    names.indices.contains(type) && !names[type].isEmpty ? "EXC_" + names[type] : nil
  }

  /// 1 for `EXC_BAD_ACCESS`; nil for a name that Mach does not have.
  static func type(named name: String) -> Int? {
    name.hasPrefix("EXC_") ? names.firstIndex(of: String(name.dropFirst(4))).flatMap { $0 > 0 ? $0 : nil } : nil
  }

  private static let names = [
    "", "BAD_ACCESS", "BAD_INSTRUCTION", "ARITHMETIC", "EMULATION", "SOFTWARE", "BREAKPOINT", "SYSCALL",
    "MACH_SYSCALL", "RPC_ALERT", "CRASH", "RESOURCE", "GUARD", "CORPSE_NOTIFY",
  ]
}
