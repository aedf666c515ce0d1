import Core

/// The call stacks of a demo app's bugs, in the native and the MetricKit format.
struct DemoStacks {
  let release: DemoRelease
  let plan: DemoPlan
  let system: String

  private var app: String {
    plan.bundleID.split(separator: ".").last.map { $0.prefix(1).uppercased() + $0.dropFirst() } ?? "App"
  }

  /// The UUID of the build's binary: 32 hexadecimal digits, different for each build.
  private var uuid: String {
    var random = DemoRandom(seed: plan.seed ^ release.build.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
    return [random.next(), random.next()].map { number in
      let digits = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }

  /// Picks a crash: from `DemoBug.new` in proportion to the release's additional crashes, otherwise from `DemoBug.old`.
  func crash(_ random: inout DemoRandom) -> DemoBug {
    let usual = 0.0014
    let isNew = release.crashes > usual && random.happens(1 - usual / release.crashes)
    return random.pick((isNew ? DemoBug.new : DemoBug.old).map { ($0, $0.weight) }) ?? DemoBug.old[0]
  }

  /// A crash of a session, in native JSON.
  func native(_ bug: DemoBug, session: String, at time: Timestamp) -> String {
    let own = bug.functions.reversed().map { frame($0) }
    let outer = ["UIKitCore", "UIKitCore", "CoreFoundation", "GraphicsServices", "UIKitCore"].map { library($0) }
    let frames = [library("libobjc.A.dylib")] + own + outer + [frame("static \(app)App.$main()"), library("dyld")]
    let idle = ["libsystem_kernel.dylib", "CoreFoundation", "Foundation", "libsystem_pthread.dylib"].map { library($0) }
    return """
      {"at":"\(time.iso)","session":"\(session)","exception":"\(bug.exception)","signal":\(bug.signal),\
      "threads":[{"crashed":true,"frames":[\(frames.joined(separator: ","))]},{"frames":[\(idle.joined(separator: ","))]}]}
      """
  }

  private func frame(_ function: String) -> String {
    if function.isEmpty { return "{\"binary\":\"\(app)\",\"uuid\":\"\(uuid)\",\"offset\":\(offset(of: "closed", 7))}" }
    return """
      {"binary":"\(app)","uuid":"\(uuid)","offset":\(offset(of: function, 3)),"function":"\(function)"}
      """
  }

  private func library(_ name: String) -> String {
    "{\"binary\":\"\(name)\",\"offset\":\(offset(of: name + system, 5))}"
  }

  /// The offset of a function in this build's binary, in bytes.
  private func offset(of function: String, _ salt: UInt64) -> Int {
    let text = function.utf8.reduce(salt) { $0 &* 1_099_511_628_211 &+ UInt64($1) }
    var random = DemoRandom(seed: text ^ release.build.utf8.reduce(7) { $0 &* 131 &+ UInt64($1) })
    return 0x4000 + Int(random.unit() * 2_000_000) * 4
  }

  /// A MetricKit diagnostic with sampled stacks, such as an entry of `hangDiagnostics`. Callers come first.
  func sampled(_ bug: DemoBug, samples: Int, _ random: inout DemoRandom) -> String {
    let parts = (0..<3).map { part in
      leaf(
        "libsystem_\(["kernel", "malloc", "platform"][part]).dylib", max(1, Int(Double(samples) * random.unit() / 4)))
    }
    var tree = parts.joined(separator: ",")
    for (depth, function) in bug.functions.enumerated().reversed() {
      let own = max(3, samples - (depth + 1) * max(1, samples / 12))
      tree = node(app, function, own, tree)
      if depth == 1 { tree += "," + node(app, "Theme.resolve(style:)", max(1, samples / 10), "") }
    }
    for name in ["UIKitCore", "CoreFoundation", "GraphicsServices", "UIKitCore"] {
      tree = node(name, "", samples, tree)
    }
    tree = node(app, "static \(app)App.$main()", samples, tree)
    return """
      {"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":[\(node("dyld", "", samples, tree))]}]}
      """
  }

  private func leaf(_ name: String, _ samples: Int) -> String { node(name, "", samples, "") }

  private func node(_ binary: String, _ function: String, _ samples: Int, _ inner: String) -> String {
    let names = function.isEmpty ? "" : ",\"symbolInfo\":[{\"demangledSymbol\":\"\(function)\"}]"
    let frames = inner.isEmpty ? "" : ",\"subFrames\":[\(inner)]"
    let id =
      binary == app ? uuid : "5700000000000000000000" + String(binary.utf8.reduce(1_000_000_000) { $0 + Int($1) * 97 })
    return """
      {"binaryName":"\(binary)","binaryUUID":"\(id)","offsetIntoBinaryTextSegment":\(offset(of: binary + function, 3)),\
      "address":\(4_300_000_000 + offset(of: binary + function, 3)),"sampleCount":\(samples)\(names)\(frames)}
      """
  }
}
