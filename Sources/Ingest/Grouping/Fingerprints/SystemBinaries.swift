/// The names of the operating system's binaries, for reports without paths. All other binaries belong to the app.
enum SystemBinaries {
  /// Whether Apple ships a binary with this name in the OS. False for an empty name: reports always name the system's
  /// binaries, but not those of an app that was updated between the crash and its report.
  static func contains(_ name: String) -> Bool {
    if name.isEmpty { return false }
    return prefixes.matches(name.utf8) || names.contains(name)
  }

  private static let prefixes = NamePrefixSet([
    "libsystem_", "libSystem", "libswift", "libobjc", "libc++", "libdispatch", "libdyld", "libicu", "libsqlite3",
    "libxpc", "libz.", "libxml2", "libnetwork", "libboringssl", "libcorecrypto", "libcompression", "libBacktrace",
    "libMTLCapture", "libGL", "libclosured", "libcopyfile", "libcache", "libmacho", "libremovefile", "libunwind",
    "libiconv", "libresolv", "libusrtcp", "libquic", "libcupolicy", "libCoreEntitlements", "libAccessibility",
    "libEDR", "libate", "libAWDSupport", "libTelephonyUtil", "libafc", "libMobileGestalt", "libmis", "libamsupport",
    "libgermantok", "libmecab", "libMainThreadChecker", "libViewDebugger", "libRPAC", "libLogRedirect", "libsandbox",
    "com.apple.", "_CoreData", "_SwiftData", "_MapKit", "_AVKit", "_PhotosUI", "_StoreKit", "_Concurrency",
    "_StringProcessing", "_RegexParser", "CoreAuthentication", "UIKit", "SwiftUI", "Metal", "AGXMetal", "IOGPU",
    "IOKit", "IOSurface", "IOMobile", "AVF", "CoreML", "CoreMedia", "AppleJPEG", "AppleCV", "GPUToolsC", "TextInput",
    "CryptoTokenKit", "BaseBoard", "FrontBoard", "BackBoard", "SpringBoard", "RunningBoard", "WebKit", "WebCore",
    "WebGPU", "JavaScriptCore", "Accessibility", "AXMedia", "AXRuntime", "PrivateFramework",
  ])

  private static let names: Set<String> = [
    "dyld", "dyld_sim", "launchd", "kernel", "???", "AppKit", "AppIntents", "ARKit", "AVKit", "AVRouting", "Accelerate",
    "Accounts", "ActivityKit", "AdServices", "AdSupport", "AppClip", "AppTrackingTransparency", "AssetsLibrary",
    "AttributeGraph", "AudioToolbox", "AudioToolboxCore", "AudioUnit", "AuthenticationServices", "BackgroundAssets",
    "BackgroundTasks", "BoardServices", "BulletinBoard", "CFNetwork", "CallKit", "CameraUI", "CarPlay", "Charts",
    "ClassKit", "CloudKit", "CloudDocs", "Combine", "Contacts", "ContactsUI", "CoreAnalytics", "CoreAudio",
    "CoreAudioKit", "CoreAutoLayout", "CoreBluetooth", "CoreBrightness", "CoreData", "CoreDuet", "CoreFoundation",
    "CoreGraphics", "CoreHaptics", "CoreHID", "CoreImage", "CoreLocation", "CoreLocationUI", "CoreMIDI", "CoreMotion",
    "CoreNFC", "CoreOptimization", "CoreServices", "CoreSpotlight", "CoreSVG", "CoreTelephony", "CoreText",
    "CoreTransferable", "CoreTransparency", "CoreUI", "CoreUtils", "CoreVideo", "CoreWLAN", "CryptoKit",
    "DataDetectorsCore", "DeviceActivity", "DeviceCheck", "DeveloperToolsSupport", "DiskArbitration", "DocumentManager",
    "DesignLibrary", "EventKit", "EventKitUI", "ExceptionHandling", "ExtensionFoundation", "ExtensionKit",
    "ExternalAccessory", "FamilyControls", "FileProvider", "FontServices", "Foundation", "FoundationModels", "GLKit",
    "GSFont", "GameController", "GameKit", "GameplayKit", "Gestures", "GraphicsServices", "GroupActivities",
    "HIToolbox", "HealthKit", "HomeKit", "HIServices", "ImageIO", "ImageCaptureCore", "Intents", "IntentsUI",
    "InternationalSupport", "KeyboardServices", "LinkPresentation", "LocalAuthentication", "ManagedConfiguration",
    "ManagedSettings", "MapKit", "MediaAccessibility", "MediaPlayer", "MediaRemote", "MediaToolbox", "MessageUI",
    "Messages", "MobileCoreServices", "MobileIcons", "ModelIO", "MultipeerConnectivity", "NaturalLanguage",
    "NearbyInteraction", "Network", "NetworkExtension", "NewsstandKit", "NotificationCenter", "OSLog", "OSAnalytics",
    "OpenAL", "OpenGL", "OpenGLES", "PDFKit", "PHASE", "PaperKit", "PassKitCore", "PassKit", "PencilKit", "Photos",
    "PhotosUI", "PhotoLibraryServices", "PlugInKit", "ProactiveSupport", "ProtocolBuffer", "PushKit", "PushToTalk",
    "QuartzCore", "QuickLook", "QuickLookThumbnailing", "QuickLookUICore", "RealityFoundation", "RealityKit",
    "RenderBox", "ReplayKit", "SafariServices", "SafetyKit", "SceneKit", "ScreenTime", "ScreenCaptureKit", "Security",
    "SensorKit", "ServiceManagement", "SharedWithYou", "ShazamKit", "SkyLight", "Social", "SoundAnalysis", "Speech",
    "SpriteKit", "StoreKit", "Swift", "SwiftData", "Symbols", "SystemConfiguration", "SystemExtensions", "TipKit",
    "TelephonyUtilities", "ToneLibrary", "Translation", "TranslationUIServices", "Twitter", "UserManagement",
    "UniformTypeIdentifiers", "UserNotifications", "UserNotificationsUI", "VectorKit", "VideoSubscriberAccount",
    "VideoToolbox", "Vision", "VisionKit", "VisualIntelligence", "WatchConnectivity", "WatchKit", "WeatherKit",
    "WidgetKit", "WorkflowKit", "XCTest", "XCTestCore", "caulk", "libGPUSupport", "libRosetta", "liblangid.dylib",
    "libAXSpeechManager.dylib", "libbsm.0.dylib", "libcmark-gfm.dylib", "vImage", "libBLAS.dylib", "libBNNS.dylib",
    "libvDSP.dylib", "libLAPACK.dylib", "libsparseBLAS.dylib", "vecLib",
  ]

  /// Whether no app has a binary with this name. Other names of the system may also be an app's if there is evidence,
  /// such as `Charts`, `Network` or `libswiftShop.dylib`.
  static func isCertain(_ name: String) -> Bool {
    certainPrefixes.matches(name.utf8) || certain.contains(name)
  }

  private static let certainPrefixes = NamePrefixSet([
    "libsystem_", "libSystem.", "libobjc.", "libc++", "libdispatch", "libdyld", "libxpc", "libswiftCore.",
    "libswift_Concurrency", "libswiftDispatch", "libswiftFoundation", "libswiftObjectiveC", "libswiftUIKit",
    "libswiftCoreFoundation", "libunwind", "com.apple.", "AGXMetal", "IOMobile",
  ])

  /// The names of system binaries that no app uses. They are in nearly every stack, or have frames where an app's
  /// `main` would be.
  private static let certain: Set<String> = [
    "dyld", "dyld_sim", "launchd", "kernel", "???", "AppKit", "AttributeGraph", "AVFoundation", "AVFCore",
    "AudioToolbox", "BackBoardServices", "BaseBoard", "BoardServices", "CFNetwork", "CoreAutoLayout", "CoreData",
    "CoreFoundation", "CoreGraphics", "CoreImage", "CoreLocation", "CoreMedia", "CoreText", "ExtensionFoundation",
    "Foundation", "FrontBoard", "FrontBoardServices", "GraphicsServices", "HIToolbox", "IOKit", "ImageIO",
    "JavaScriptCore", "PlugInKit", "QuartzCore", "RunningBoardServices", "SpringBoard", "SpringBoardServices",
    "SwiftUI", "SwiftUICore", "UIKit", "UIKitCore", "WatchKit", "WebCore", "WebKit", "WebKitLegacy", "WidgetKit",
  ]

  /// Whether a binary is the loader. Its frames start a thread, and the frame that they call is the program's `main`.
  static func starts(_ name: String) -> Bool {
    name == "dyld" || name == "dyld_sim" || name.utf8.starts(with: "libdyld".utf8)
  }

  /// Whether system code calls closures of the app immediately, as the standard library does. The frames around it then
  /// belong together.
  static func callsBack(_ name: String) -> Bool {
    name.utf8.starts(with: "libswift".utf8) && !name.utf8.starts(with: "libswift_Concurrency".utf8)
      && !name.utf8.starts(with: "libswiftDispatch".utf8)
  }
}
