import ArgumentParser
import Foundation
import Symbols

/// `plumb demangle-names`: not for people. The server starts it as a child process with limits, because a hostile name can
/// make a demangler take all memory there is.
struct DemangleNames: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demangle-names", abstract: "Make the names of functions on standard input readable, line by line.",
    discussion: "Example:\n  echo '$s4Shop7appMainyS2iF' | plumb demangle-names", shouldDisplay: false)

  /// Whether a server started this process to be its demangler.
  static var isChild: Bool { getenv(NameDemangler.variable) != nil }

  func run() {
    Self.endWithParent()
    CodeName.answerLines()
  }

  /// A name that takes minutes must not outlive a server that was killed: nobody waits for it any more.
  static func endWithParent() {
    let parent = getppid()
    Thread.detachNewThread {
      while getppid() == parent { sleep(1) }
      _exit(1)
    }
  }
}
