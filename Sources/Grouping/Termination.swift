/// What the system says of why it ended an app: `Namespace RUNNINGBOARD, Code 3735883980`, `FRONTBOARD 0x8badf00d`,
/// `<RBSTerminateContext| domain:10 code:0x8BADF00D …>`. The code's number counts, not how it is written.
struct Termination {
  /// Lower-case; empty when unknown.
  private(set) var namespace = ""
  private(set) var code: UInt64?
  private let text: String

  var isEmpty: Bool { text.isEmpty }

  init(_ reason: String?) {
    text = String(decoding: (reason ?? "").utf8.prefix(2_000), as: UTF8.self).lowercased()
    let words = text.split { " ,;|<>()[]".contains($0) }
    for (place, word) in words.enumerated() {
      let next = words.indices.contains(place + 1) ? words[place + 1] : ""
      if word == "namespace" {
        if namespace.isEmpty { namespace = String(next) }
      } else if word == "code" || word == "code:" {
        code = code ?? Self.number(next)
      } else if word.hasPrefix("code:") {
        code = code ?? Self.number(word.dropFirst(5))
      } else if word.hasPrefix("domain:"), namespace.isEmpty {
        namespace = "domain " + word.dropFirst(7)
      }
    }
    if namespace.isEmpty, code == nil, words.count >= 2, let number = Self.number(words[1]) {
      (namespace, code) = (String(words[0]), number)
    }
  }

  /// Words of a watchdog. Its namespaces end apps for other reasons, too, and then with another code.
  var isWatchdog: Bool {
    if text.contains("8badf00d") || text.contains("watchdog") { return true }
    return code == nil && (text.contains("frontboard") || text.contains("springboard"))
  }

  /// The cause of an end that is not the signal's; nil for a signal, an abort, or words without a code.
  func cause(signal: Int?, type: Int?) -> Cause? {
    guard (type ?? 10) == 10, let code, !namespace.isEmpty, !Self.ofSignals.contains(namespace) else { return nil }
    // How a library aborts is told by its exception.
    if signal == 6, Self.ofAborts.contains(namespace) { return nil }
    let number = "0x" + String(code, radix: 16)
    if namespace == "jetsam" { return Cause(key: "jetsam:" + number, title: "Jetsam termination (code \(code))") }
    let name = String(decoding: namespace.utf8.prefix(60), as: UTF8.self)
    return Cause(key: "kill:\(name):\(number)", title: "Termination by \(name.uppercased()) (\(number))")
  }

  private static let ofSignals: Set<String> = ["signal"]
  private static let ofAborts: Set<String> = ["objc", "libsystem", "swift", "libc++abi"]

  private static func number(_ text: some StringProtocol) -> UInt64? {
    text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
  }
}
