import Core
import Testing
import TestSupport

@testable import Ingest

@Suite("Classes of hangs")
struct HangClassifierTests {
  static let hangs = (try? LabelledHang.read(Checkout.text("Tests/IssuesTests/Hangs/stacks.txt"))) ?? []

  /// The numbers of one class: how many stacks have the label, how many the classifier put into it, and how many both.
  private struct Score {
    var labelled = 0
    var classed = 0
    var right = 0
    var precision: Double { classed == 0 ? 0 : Double(right) / Double(classed) }
    var recall: Double { labelled == 0 ? 0 : Double(right) / Double(labelled) }
  }

  private func scores(_ isWanted: (LabelledHang) -> Bool) -> [HangClass: Score] {
    Self.hangs.filter(isWanted).reduce(into: [:]) { scores, hang in
      let found = Self.rule(hang).hangClass
      scores[hang.label, default: Score()].labelled += 1
      scores[found, default: Score()].classed += 1
      if found == hang.label { scores[found, default: Score()].right += 1 }
    }
  }

  private static func rule(_ hang: LabelledHang) -> HangRule {
    HangClassifier().rule(for: hang.calls, milliseconds: hang.milliseconds, isInBackground: hang.isInBackground)
  }

  @Test("the labelled set has 200 different stacks, and the rules were not fitted to half of them")
  func labelled() {
    #expect(Self.hangs.count == 200)
    #expect(Self.hangs.count { !$0.isForTuning } >= 100)
    #expect(Self.hangs.count { !$0.isDerived } >= 95)
    #expect(Set(Self.hangs.map(\.number)).count == 200)
  }

  @Test("at least 95 % of the hangs classed as own code are own code, in both halves and among unchanged stacks")
  func precision() throws {
    let parts: [(LabelledHang) -> Bool] = [{ $0.isForTuning }, { !$0.isForTuning }, { !$0.isDerived }]
    for part in parts {
      let scores = scores(part)
      let own = try #require(scores[.ownCode])
      #expect(own.precision >= 0.95 && own.recall >= 0.9, "\(scores)")
      for other in [HangClass.system, .asleep] {
        let score = try #require(scores[other])
        #expect(score.precision >= 0.9 && score.recall >= 0.9, "\(other): \(scores)")
      }
    }
  }

  /// A chain of `Binary:function` or `Binary+offset`, outermost first.
  private func rule(_ text: String, _ milliseconds: Double? = nil, isInBackground: Bool = false) -> HangRule {
    HangClassifier().rule(
      for: FingerprintTests.tree(text), milliseconds: milliseconds, isInBackground: isInBackground)
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
