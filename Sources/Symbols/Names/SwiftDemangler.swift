internal import Glibc

/// Swift's own demangler, which is part of its runtime (`stdlib/public/runtime/Demangle.cpp`), also when that is linked
/// statically.
///
/// Names come from files and devices. A mangled name of some hundred bytes can stand for gigabytes: a generic type that
/// holds the one before it twice doubles with every nine bytes. So this runs in a child process only, see
/// `NameDemangler`.
enum SwiftDemangler {
  /// `Shop.CheckoutController.total(discount: (Swift.Int) -> Swift.Int) -> Swift.Int`; nil for a name that is no mangled one.
  static func demangle(_ name: String) -> String? {
    guard isMangled(name) else { return nil }
    var name = name
    let text = name.withUTF8 { swiftDemangle($0.baseAddress, $0.count, nil, nil, 0) }
    guard let text else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// Swift 5 and later, Embedded Swift, and both with the underscore of Mach-O; Swift 4's classes for Objective-C.
  static func isMangled(_ name: String) -> Bool {
    ["$s", "$S", "$e", "_$s", "_$S", "_$e", "_T0", "_Tt"].contains { name.hasPrefix($0) }
  }
}

@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<UInt8>?, _ length: Int, _ output: UnsafeMutablePointer<UInt8>?,
  _ outputSize: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
