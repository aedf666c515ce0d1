/// The parameters of a demo app.
struct DemoPlan {
  var bundleID: String
  /// The app's ingest key. Fixed, so that every demo has the same key.
  var key: String
  var users: Int
  var seed: UInt64
  /// The probability, 0 to 1, that a user opens the app on a day.
  var activity: Double
  var releases: [DemoRelease]
  /// Days without payloads, counted back from today.
  var outage: ClosedRange<Int>?

  /// A large app whose latest release, six days old, is faulty.
  static func shop(users: Int) -> DemoPlan {
    DemoPlan(
      bundleID: "com.example.shop", key: "00000000000000000000000000005409", users: users, seed: 20_261, activity: 0.5,
      releases: [
        DemoRelease(version: "4.0.0", build: "1200", age: 90),
        DemoRelease(version: "4.1.0", build: "1210", age: 45),
        DemoRelease(version: "4.2.0", build: "1225", age: 24),
        DemoRelease(version: "4.2.1", build: "1227", age: 14, launch: 0.94),
        DemoRelease(version: "4.3.0", build: "1240", age: 6, launch: 2.0, crashes: 0.014, hangs: 4, memory: 1.2),
      ])
  }

  /// A small app with too little data for most verdicts, whose payloads stopped for four days.
  static let notes = DemoPlan(
    bundleID: "com.example.notes", key: "0000000000000000000000000000407e", users: 14, seed: 7, activity: 0.3,
    releases: [
      DemoRelease(version: "1.0", build: "3", age: 80), DemoRelease(version: "1.1", build: "5", age: 10),
    ], outage: 7...10)
}

/// A release of a demo app.
struct DemoRelease {
  var version: String
  var build: String
  /// Days since the release appeared.
  var age: Int
  /// The factor by which launches are slower than usual.
  var launch = 1.0
  /// The share of sessions that crash, 0 to 1.
  var crashes = 0.0014
  /// The factor by which hangs are more frequent than usual.
  var hangs = 1.0
  var memory = 1.0
}

/// A device model of the fleet.
struct DemoDevice {
  var model: String
  /// The factor by which the model is slower than the newest one.
  var slowness: Double
  /// The usual peak memory, in MB.
  var memory: Double
  var share: Double

  static let all = [
    DemoDevice(model: "iPhone12,1", slowness: 1.75, memory: 180, share: 6),
    DemoDevice(model: "iPhone13,2", slowness: 1.5, memory: 190, share: 11),
    DemoDevice(model: "iPhone14,5", slowness: 1.3, memory: 200, share: 14),
    DemoDevice(model: "iPhone14,7", slowness: 1.25, memory: 205, share: 9),
    DemoDevice(model: "iPhone15,2", slowness: 1.12, memory: 220, share: 12),
    DemoDevice(model: "iPhone15,4", slowness: 1.1, memory: 220, share: 10),
    DemoDevice(model: "iPhone16,1", slowness: 1.04, memory: 240, share: 11),
    DemoDevice(model: "iPhone17,1", slowness: 0.98, memory: 250, share: 11),
    DemoDevice(model: "iPhone17,3", slowness: 1.0, memory: 245, share: 9),
    DemoDevice(model: "iPhone18,1", slowness: 0.92, memory: 260, share: 4),
    DemoDevice(model: "iPad13,16", slowness: 1.05, memory: 270, share: 3),
  ]

  /// The OS versions as written in payloads, and the weight of each.
  static let systems: [(String, Double)] = [
    ("iPhone OS 16.7.8 (20H343)", 7), ("iPhone OS 17.6 (21G80)", 15), ("iPhone OS 18.6.2 (22G100)", 34),
    ("iPhone OS 26.1 (23B85)", 44),
  ]
}
