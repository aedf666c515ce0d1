import ArgumentParser
import Foundation
import Symbols

/// `plumb demangle-names`: demangles Swift names as a child process of the server. Hidden from the help. The process
/// has limits, because a hostile name can make a demangler use up all memory.
struct DemangleNamesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demangle-names", abstract: "Demangle function names on standard input, line by line.",
    discussion: "Example:\n  echo '$s4Shop7appMainyS2iF' | plumb demangle-names", shouldDisplay: false)

  /// Whether the server started this process as its demangler.
  static var isChild: Bool { getenv(DemanglerProcess.variable) != nil }

  func run() {
    Self.endWithParent()
    ReadableFunctionName.answerLines()
  }

  /// Ends this process within a second after its parent, so that a slow name does not outlive a killed server.
  static func endWithParent() {
    let parent = getppid()
    Thread.detachNewThread {
      while getppid() == parent { sleep(1) }
      _exit(1)
    }
  }
}
