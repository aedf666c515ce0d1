/// What a Mach-O file holds for one architecture, read from its load commands (Apple's `mach-o/loader.h`).
public struct MachOImage: Sendable, Equatable {
  /// `LC_UUID`: 32 upper-case hexadecimal digits. Never all zeros.
  public var uuid: String
  /// `arm64`, `arm64e`, `x86_64`
  public var architecture: String
  /// The file is the companion that `dsymutil` made (`MH_DSYM`).
  public var isDebugFile: Bool
  /// It has a `__debug_info` section that is not empty.
  public var hasDebugInformation: Bool
  /// Where `__TEXT` is linked to begin; offsets of frames count from here.
  public var textAddress: UInt64
  /// The code in `__TEXT`, as offsets from its beginning: without headers, data and the stubs of other libraries'
  /// functions, for which the symbolizer would return the preceding function.
  public var code: Range<UInt64>
  /// Its range of bytes in the file.
  public var range: Range<Int>

  /// It can name code: debug information is there, or it is the file that is made to hold it.
  public var isUseful: Bool { hasDebugInformation || isDebugFile }
}

/// Why a file is no Mach-O that can be used.
public enum MachOProblem: Error, Equatable, Sendable {
  /// It is something else.
  case notMachO
  /// It is damaged: a length reaches beyond its end, or headers contradict each other. The text names what was found.
  case damaged(String)
}

extension MachOProblem: CustomStringConvertible {
  /// In words, for the person who sent it.
  public var description: String {
    switch self {
    case .notMachO: "this is no Mach-O file"
    case .damaged(let what): "the file is damaged or cut off: \(what)"
    }
  }
}

/// Names of architectures as Xcode's tools print them (`mach/machine.h`).
enum MachOArchitecture {
  /// The upper byte of a subtype holds capabilities.
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
