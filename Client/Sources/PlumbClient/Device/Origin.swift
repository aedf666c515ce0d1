import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The app, release and device that a measurement comes from. The next launch reports a session that ended in a crash
/// and may be another release, so the origin is stored with the session.
struct Origin: Codable, Equatable, Sendable {
  var bundleID: String
  var version: String
  var build: String
  /// `iPhone15,2`.
  var model: String
  /// `iOS 17.4.1 (21E236)`.
  var system: String
  var environment: String
  /// The app's attributes; nil if there are none.
  var attributes: [String: String]?

  /// The running app on this device. `environment`: nil to use the receipt and the build.
  static func current(environment: String?, attributes: [String: String] = [:]) -> Origin {
    let info = Bundle.main.infoDictionary ?? [:]
    return Origin(
      bundleID: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
      version: info["CFBundleShortVersionString"] as? String ?? "",
      build: info["CFBundleVersion"] as? String ?? "", model: DeviceIdentity.model, system: DeviceIdentity.system,
      environment: environment ?? DeviceIdentity.environment, attributes: attributes.isEmpty ? nil : attributes)
  }
}

/// The OS's information about the device.
enum DeviceIdentity {
  static var model: String {
    #if targetEnvironment(simulator)
      return ProcessInfo.processInfo.environment["SIMULATOR_MODEL_IDENTIFIER"] ?? "Simulator"
    #elseif os(macOS) || targetEnvironment(macCatalyst)
      return text(of: "hw.model") ?? "Mac"
    #else
      var name = utsname()
      guard uname(&name) == 0 else { return "" }
      return withUnsafeBytes(of: &name.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    #endif
  }

  static var system: String {
    let version = ProcessInfo.processInfo.operatingSystemVersion
    let patch = version.patchVersion > 0 ? ".\(version.patchVersion)" : ""
    let number = "\(version.majorVersion).\(version.minorVersion)\(patch)"
    #if os(macOS) || targetEnvironment(macCatalyst)
      let name = "macOS"
    #elseif os(visionOS)
      let name = "visionOS"
    #elseif os(tvOS)
      let name = "tvOS"
    #elseif os(watchOS)
      let name = "watchOS"
    #elseif os(iOS)
      let name = "iOS"
    #else
      let name = "Linux"
    #endif
    return text(of: "kern.osversion").map { "\(name) \(number) (\($0))" } ?? "\(name) \(number)"
  }

  static var environment: String {
    #if targetEnvironment(simulator)
      return "development"
    #elseif canImport(Darwin)
      if isDebugged { return "development" }
      return Bundle.main.appStoreReceiptURL?.lastPathComponent == "sandboxReceipt" ? "testflight" : "production"
    #else
      return "production"
    #endif
  }

  /// Changes with each boot of the device; nil if unknown. Unlike the time of the boot, it does not move with the wall
  /// clock.
  static var bootID: String? {
    #if canImport(Darwin)
      return text(of: "kern.bootsessionuuid")
    #else
      return try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    #endif
  }

  /// A debugger's stop button ends the process like the OS's memory limit.
  static var isDebugged: Bool {
    #if canImport(Darwin)
      var info = kinfo_proc()
      var size = MemoryLayout<kinfo_proc>.stride
      var query = [CTL_KERN, KERN_PROC, KERN_PROC_PID, getpid()]
      guard sysctl(&query, 4, &info, &size, nil, 0) == 0 else { return false }
      return info.kp_proc.p_flag & P_TRACED != 0
    #else
      return false
    #endif
  }

  private static func text(of name: String) -> String? {
    #if canImport(Darwin)
      var size = 0
      guard sysctlbyname(name, nil, &size, nil, 0) == 0, size > 1 else { return nil }
      var bytes = [UInt8](repeating: 0, count: size)
      guard sysctlbyname(name, &bytes, &size, nil, 0) == 0 else { return nil }
      return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    #else
      return nil
    #endif
  }
}
