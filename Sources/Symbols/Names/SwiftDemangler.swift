internal import Glibc

/// Swift's own demangler, which is part of its runtime (`stdlib/public/runtime/Demangle.cpp`), also if that is linked
/// statically.
///
/// Names come from files and devices. A mangled name of a few hundred bytes can expand to gigabytes, because a generic
/// type that contains the preceding one twice doubles with every nine bytes. Use it only in a child process; see
/// `NameDemangler`.
enum SwiftDemangler {
  /// The demangled name, such as `Shop.CheckoutController.total(discount: (Swift.Int) -> Swift.Int) -> Swift.Int`; nil
  /// for a name that is not mangled.
  static func demangle(_ name: String) -> String? {
    guard isMangled(name) else { return nil }
    var name = name
    let text = name.withUTF8 { swiftDemangle($0.baseAddress, $0.count, nil, nil, 0) }
    guard let text else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// Whether a name has a prefix of mangled names: those of Swift 5 and Embedded Swift, with or without Mach-O's
  /// underscore, and of Swift 4's classes in Objective-C.
  static func isMangled(_ name: String) -> Bool {
    ["$s", "$S", "$e", "_$s", "_$S", "_$e", "_T0", "_Tt"].contains { name.hasPrefix($0) }
  }
}

@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<UInt8>?, _ length: Int, _ output: UnsafeMutablePointer<UInt8>?,
  _ outputSize: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
