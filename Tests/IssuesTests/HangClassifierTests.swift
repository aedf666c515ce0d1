import Core
import Testing
import TestSupport

@testable import Ingest

@Suite("Classes of hangs")
struct HangClassifierTests {
  static let hangs = read("stacks.txt")
  /// Variations of some of the stacks, which are not independent of them.
  static let variations = read("variations.txt")

  private static func read(_ file: String) -> [LabelledHang] {
    (try? LabelledHang.read(Checkout.text("Tests/IssuesTests/Hangs/\(file)"))) ?? []
  }

  /// The numbers of one class: how many stacks have the label, how many the classifier put into it, and how many both.
  private struct Score {
    var labelled = 0
    var classed = 0
    var right = 0
    var precision: Double { classed == 0 ? 0 : Double(right) / Double(classed) }
    var recall: Double { labelled == 0 ? 0 : Double(right) / Double(labelled) }
  }

  private func scores(_ hangs: [LabelledHang]) -> [HangClass: Score] {
    hangs.reduce(into: [:]) { scores, hang in
      let found = Self.rule(hang).hangClass
      scores[hang.label, default: Score()].labelled += 1
      scores[found, default: Score()].classed += 1
      if found == hang.label { scores[found, default: Score()].right += 1 }
    }
  }

  private static func rule(_ hang: LabelledHang) -> HangRule {
    HangClassifier().rule(
      for: hang.calls, milliseconds: hang.milliseconds, isInBackground: hang.isInBackground, isOnMac: hang.isOnMac)
  }

  @Test("the labelled set has at least 200 stacks from reports, and rules were fitted to at most a third of them")
  func labelled() {
    #expect(Self.hangs.count == 207)
    #expect(Self.hangs.count { !$0.isForTuning } == 150)
    #expect(Self.hangs.count { !$0.isForTuning && $0.depth >= 4 } == 101)
    #expect(Set((Self.hangs + Self.variations).map(\.number)).count == 207 + Self.variations.count)
  }

  @Test("at least 95 % of the hangs classed as own code are own code, also among stacks to which no rule was fitted")
  func precision() throws {
    let held = Self.hangs.filter { !$0.isForTuning }
    let parts = ["all": Self.hangs, "held": held, "held, 4 frames or more": held.filter { $0.depth >= 4 }]
    for (part, hangs) in parts {
      let scores = scores(hangs)
      let own = try #require(scores[.ownCode])
      #expect(own.precision >= 0.95 && own.recall >= 0.9, "\(part): \(scores)")
      for other in [HangClass.system, .asleep] {
        let score = try #require(scores[other])
        #expect(score.precision >= 0.9 && score.recall >= 0.9, "\(other) in \(part): \(scores)")
      }
    }
  }

  @Test("stacks without names, cut stacks, samples and other callers have the class of the original")
  func varied() {
    #expect(Self.variations.count == 105)
    for hang in Self.variations { #expect(Self.rule(hang).hangClass == hang.label, "\(hang.number)") }
  }

  @Test("the wrong classes are known", arguments: [("286", HangClass.system), ("306", .system)])
  func mistakes(number: String, found: HangClass) throws {
    let hang = try #require(Self.hangs.first { $0.number == number })
    #expect(Self.rule(hang).hangClass == found && hang.label != found)
    #expect(Self.hangs.count { Self.rule($0).hangClass != $0.label } == 2)
  }

  /// A chain of `Binary:function` or `Binary+offset`, outermost first.
  private func rule(
    _ text: String, _ milliseconds: Double? = nil, isInBackground: Bool = false, isOnMac: Bool = false
  ) -> HangRule {
    HangClassifier().rule(
      for: FingerprintTests.tree(text), milliseconds: milliseconds, isInBackground: isInBackground, isOnMac: isOnMac)
  }

  private static let launched = "dyld:start Shop:main UIKitCore:UIApplicationMain GraphicsServices:GSEventRunModal "
  private static let loop = launched + "CoreFoundation:CFRunLoopRunSpecific CoreFoundation:__CFRunLoopRun "

  @Test("the same wait is own code below a function of the app, and the system's without one")
  func waits() {
    let wait = "libdispatch.dylib:_dispatch_sync_f_slow libsystem_kernel.dylib:__ulock_wait"
    #expect(rule(Self.loop + "UIKitCore:-[UIApplication_sendAction] Shop:Cart.checkout() " + wait) == .ownLock)
    #expect(rule(Self.loop + "UIKitCore:-[UIView_layout] " + wait) == .systemLock)
    // What the app called for one event is over when the next event is handled.
    let outer = "dyld:start Shop:runApp() UIKitCore:UIApplicationMain UIKitCore:-[UIView_layout] "
    #expect(rule(outer + wait) == .systemLock)
  }

  @Test("a run loop that waits for events is asleep, and own code if a function of the app runs it")
  func runLoops() {
    let idle =
      "CoreFoundation:CFRunLoopRunSpecific CoreFoundation:__CFRunLoopRun CoreFoundation:__CFRunLoopServiceMachPort "
      + "libsystem_kernel.dylib:mach_msg libsystem_kernel.dylib:mach_msg2_trap"
    #expect(rule(Self.launched + idle) == .idleRunLoop)
    #expect(rule(Self.loop + "Shop:Splash.show() Foundation:-[NSRunLoop_runUntilDate:] " + idle) == .ownRunLoop)
    #expect(
      rule(
        "dyld+1 Shop+16 UIKitCore+1 UIKitCore+2 GraphicsServices+3 CoreFoundation+1 CoreFoundation+2 CoreFoundation+3 "
          + "libsystem_kernel.dylib+1 libsystem_kernel.dylib+2") == .idleRunLoop)
    // One more frame of Core Foundation is a callout.
    #expect(
      rule(
        "dyld+1 Shop+16 UIKitCore+1 GraphicsServices+3 CoreFoundation+1 CoreFoundation+2 CoreFoundation+3 "
          + "CoreFoundation+4 libsystem_kernel.dylib+1") == .systemWait)
  }

  @Test("the client's state and the duration decide before the stack")
  func states() {
    let own = Self.loop + "Shop:Cart.checkout()"
    #expect(rule(own) == .ownWork && rule(own, 299_000) == .ownWork && rule(own, 300_000) == .tooLong)
    #expect(rule(own, 2_000, isInBackground: true) == .background)
    let waiting = Self.loop + "UIKitCore:-[UIDevice_model] libsystem_kernel.dylib:mach_msg2_trap"
    #expect(rule(waiting, 59_000) == .systemIPC && rule(waiting, 60_000) == .tooLong)
    #expect(rule(Self.loop + "SwiftUI:ViewGraph.updateOutputs()", 130_000) == .systemWork)
    #expect(rule("", 4_000) == .noStack && rule("", 4_000).hangClass.isFelt)
  }

  @Test("macOS does not end a frozen app, so a long hang of a Mac counts, unless it was in the background")
  func macs() {
    let own = "AppKit:-[NSApplication_run] Shop:Cart.checkout()"
    #expect(rule(own, 1_305_000, isOnMac: true) == .ownWork && rule(own, 1_305_000) == .tooLong)
    #expect(rule(own, 1_305_000, isInBackground: true, isOnMac: true) == .background)
    let waiting = "AppKit:-[NSApplication_run] libxpc.dylib:xpc_connection_send_message_with_reply_sync"
    #expect(rule(waiting, 142_654, isOnMac: true) == .systemIPC && rule(waiting, 142_654) == .tooLong)
  }

  @Test("a stack that ends in a dialog or menu waits for a person; what runs inside of one does not")
  func dialogs() {
    for dialog in ["NSSavePanel.runModal()", "runModalSession"] {
      #expect(rule("Shop:Export.ask() AppKit:\(dialog)") == .waitsForPerson)
      #expect(rule("Shop:Export.ask() AppKit:\(dialog) AppKit:-[NSView_layout]") == .ownWork)
    }
  }

  @Test("a loader that tells a debugger of a binary was stopped by one")
  func debuggers() {
    #expect(rule("dyld:start dyld:_dyld_start dyld:lldb_image_notifier") == .debugger)
    #expect(rule("dyld:gdb_image_notifier(dyld_image_mode,unsigned)") == .debugger)
  }

  @Test("samples decide by their majority")
  func samples() {
    func tree(own: Int, system: Int, idle: Int) -> CallTree {
      var tree = FingerprintTests.tree(
        "GraphicsServices:GSEventRunModal Shop:Cart.checkout() UIKitCore:-[UIView_layout] "
          + "CoreFoundation:__CFRunLoopServiceMachPort")
      tree.frames[0].samples = 1
      for (index, count) in [own, system, idle].enumerated() {
        tree.frames[index + 1].caller = 0
        tree.frames[index + 1].samples = count
      }
      return tree
    }
    func found(_ own: Int, _ system: Int, _ idle: Int) -> HangClass {
      HangClassifier().rule(
        for: tree(own: own, system: system, idle: idle), milliseconds: nil, isInBackground: false
      ).hangClass
    }
    #expect(found(40, 30, 30) == .ownCode && found(30, 40, 30) == .system && found(20, 30, 50) == .asleep)
    let most = 1_000_000_000
    #expect(found(most, most, 1) == .ownCode)
  }

  @Test("every stored rule has its own name and sentence, and belongs to one class")
  func names() {
    #expect(Set(HangRule.allCases.map(\.name)).count == HangRule.allCases.count)
    #expect(Set(HangRule.allCases.map(\.sentence)).count == HangRule.allCases.count)
    #expect(HangRule.allCases.filter { $0.hangClass == .unknown } == [.noStack])
  }
}
