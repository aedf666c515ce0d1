/// One architecture in a Mach-O file, read from its load commands (Apple's `mach-o/loader.h`).
struct MachOImage: Sendable, Equatable {
  /// The UUID from `LC_UUID` as 32 upper-case hexadecimal digits; never all zeros.
  var uuid: String
  /// The architecture of the slice: `arm64`, `arm64e`, `x86_64`.
  var architecture: String
  /// Whether the file is a companion made by `dsymutil` (`MH_DSYM`).
  var isDebugFile: Bool
  /// Whether the slice has a `__debug_info` section that is not empty.
  var hasDebugInformation: Bool
  /// Whether the slice has a symbol table that is not empty.
  var hasSymbolTable = false
  /// The address at which `__TEXT` is linked. Offsets of frames are relative to it.
  var textAddress: UInt64
  /// The range of code in `__TEXT`, as byte offsets from its start. It excludes headers, data and the stubs of other
  /// libraries' functions, for which the symbolizer would return the preceding function.
  var code: Range<UInt64>
  /// The byte range of the slice in the file.
  var range: Range<Int>

  /// Whether the file can have function names: it has debug information or is a companion file made for it.
  var isUseful: Bool { hasDebugInformation || isDebugFile }
}

/// The error for a file that is not usable as Mach-O.
enum MachOProblem: Error, Equatable, Sendable {
  /// The file is not Mach-O.
  case notMachO
  /// The file is damaged: a length exceeds its size, or headers contradict each other. The text describes the problem.
  case damaged(String)
}

extension MachOProblem: CustomStringConvertible {
  /// The reason as a sentence, for the user who uploads the file.
  var description: String {
    switch self {
    case .notMachO: "this is not a Mach-O file"
    case .damaged(let what): "the file is damaged or cut off: \(what)"
    }
  }
}

/// The names of architectures as Xcode's tools print them (`mach/machine.h`).
enum MachOArchitecture {
  /// The name of an architecture. The upper byte of a subtype contains capability flags and is ignored.
  static func name(type: UInt32, subtype: UInt32) -> String {
    switch (type, subtype & 0xFF_FFFF) {
    case (0x0100_000C, 2): "arm64e"
    case (0x0100_000C, _): "arm64"
    case (0x0200_000C, _): "arm64_32"
    case (0x0100_0007, 8): "x86_64h"
    case (0x0100_0007, _): "x86_64"
    case (12, 9): "armv7"
    case (12, 11): "armv7s"
    case (12, 12): "armv7k"
    case (12, _): "arm"
    case (7, _): "i386"
    default: "cpu-\(type)-\(subtype & 0xFF_FFFF)"
    }
  }
}
