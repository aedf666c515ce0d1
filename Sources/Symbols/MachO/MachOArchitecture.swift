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
