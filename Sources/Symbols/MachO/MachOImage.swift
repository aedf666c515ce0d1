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
  /// functions, which would be given the name of whatever lies before them.
  public var code: Range<UInt64>
  /// Where it lies in the file.
  public var range: Range<Int>

  /// It can name code: debug information is there, or it is the file that is made to hold it.
  public var isUseful: Bool { hasDebugInformation || isDebugFile }
}

/// Why a file is no Mach-O that can be used.
public enum MachOProblem: Error, Equatable, Sendable {
  /// It is something else.
  case notMachO
  /// It says that it reaches beyond its end, or contradicts itself. What was found.
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
