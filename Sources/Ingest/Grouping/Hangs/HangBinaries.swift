/// The roles of binaries in the stack of a hang. Most reports of hangs have only binaries and offsets.
enum HangBinaries {
  /// The role of a system binary in a stack.
  enum Role: UInt8 {
    case other
    case kernel
    case coreFoundation
    /// Calls the outermost run loop of an app on iOS, and nothing else.
    case graphicsServices
    /// Fetches events on macOS.
    case events
    /// Draws and handles events. It is on the stack of every app that started.
    case interface
    case loader
    /// Locks, queues and threads.
    case threads
    case xpc
    case database
    /// Waits in a run loop for a reply of another process.
    case replies
    case debugger
  }

  static func role(_ name: String) -> Role {
    if let known = roles[name] { return known }
    if SystemBinaries.starts(name) { return .loader }
    if name.utf8.starts(with: "libsystem_kernel".utf8) { return .kernel }
    if name.utf8.starts(with: "libdispatch".utf8) || name.utf8.starts(with: "libsystem_pthread".utf8) {
      return .threads
    }
    return .other
  }

  private static let roles: [String: Role] = [
    "CoreFoundation": .coreFoundation, "com.apple.CoreFoundation": .coreFoundation,
    "GraphicsServices": .graphicsServices, "HIToolbox": .events, "com.apple.HIToolbox": .events,
    "UIKit": .interface, "UIKitCore": .interface, "AppKit": .interface, "com.apple.AppKit": .interface,
    "SwiftUI": .interface, "SwiftUICore": .interface, "WatchKit": .interface, "PlugInKit": .interface,
    "ExtensionFoundation": .interface, "libswiftUIKit.dylib": .interface, "QuartzCore": .interface,
    "HIServices": .replies, "lldb": .debugger, "libViewDebuggerSupport.dylib": .debugger,
    "libsystem_platform.dylib": .threads, "libxpc.dylib": .xpc, "libsqlite3.dylib": .database,
  ]

  /// Whether Apple ships a binary with this name in the OS, so that it is not the app's in a report that does not state
  /// owners. The names are those of frameworks that wait or draw on main threads. Fingerprints do not use the list,
  /// because a name that is added to theirs would split groups.
  static func isSystem(_ name: String) -> Bool { names.contains(name) }

  private static let names: Set<String> = [
    "AXCoreUtilities", "AppleSystemInfo", "AssertionServices", "AudioSession", "AudioSessionServer", "CarPlayServices",
    "CarPlaySupport", "Celestial", "ColorSync", "CorePDF", "CoreMaterial", "CoreEmoji", "CoreSuggestions",
    "DataDetectorsUI", "DocumentManagerCore", "EmojiFoundation", "FontParser", "GeoServices", "HIServices",
    "IconServices", "IMKCore", "InputMethodKit", "IntlPreferences", "KeyboardArbiter", "LaunchServices",
    "LoggingSupport", "MediaServices", "MobileAsset", "MobileContainerManager", "MobileKeyBag", "OnBoardingKit",
    "Pasteboard", "PersonalizationPortrait", "PhotoLibraryServicesCore", "PhotosUICore", "PhotosFormats",
    "PointerUIServices", "ProactiveInputPredictions", "RemoteTextInput", "SafariShared", "ShareSheet",
    "SpotlightServices", "SystemConfiguration", "SystemStatus", "TCC", "TelephonyUI", "UIAccessibility",
    "UIFoundation", "UIKitMacHelper", "UserNotificationsCore", "UserNotificationsKit", "UserNotificationsServer",
    "WritingTools", "libCGInterfaces.dylib", "libFontParser.dylib", "libGPUSupportMercury.dylib", "libRIP.A.dylib",
    "libType1Scaler.dylib",
  ]
}
