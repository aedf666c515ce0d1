import TestSupport

/// An invented app: its functions and their places in each build.
struct Program {
  /// A function and its binary.
  struct Function: Hashable {
    var number: Int
    var binary: String
    /// The demangled name, as in Swift's symbol table.
    var name: String
  }

  static let binaries = ["Shop", "ShopKit", "Tracker"]

  /// Function `number` of an unlimited number.
  static func function(_ number: Int) -> Function {
    let binary = binaries[number % 7 == 0 ? 1 : number % 11 == 0 ? 2 : 0]
    let subject = subjects[number % subjects.count]
    let part = parts[number / subjects.count % parts.count]
    let verb = verbs[number / (subjects.count * parts.count) % verbs.count]
    let round = number / (subjects.count * parts.count * verbs.count)
    let tail = round == 0 ? "" : "\(round)"
    let name =
      switch number % 4 {
      case 0: "\(binary).\(subject)\(part).\(verb)\(tail)() -> ()"
      case 1: "\(binary).\(subject)\(part).\(verb)\(tail)(item: \(binary).\(subject)) throws -> Swift.Bool"
      case 2: "closure #1 (Swift.Int) -> () in \(binary).\(subject)\(part).\(verb)\(tail)() -> ()"
      default: "\(binary).\(subject)\(part).\(verb)\(tail)<A where A: Swift.Equatable>(at: Swift.Int) -> A"
      }
    return Function(number: number, binary: binary, name: name)
  }

  /// 32 upper-case hexadecimal digits. Every build of a binary has its own.
  static func uuid(_ binary: String, build: Int) -> String {
    let index = UInt64(binaries.firstIndex(of: binary) ?? 9)
    let digits = [1, 2].map { half -> String in
      let text = String(SeededRandom.fixed(index, UInt64(build), UInt64(half)), radix: 16, uppercase: true)
      return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
    return digits.joined()
  }

  /// The offset of the call of `callee` in `function`. Instructions have four bytes, and every build places functions
  /// anew.
  static func site(_ function: Function, calling callee: Int, build: Int) -> UInt64 {
    let start = SeededRandom.fixed(UInt64(function.number), UInt64(build), 17) % 0x40_0000
    let within = SeededRandom.fixed(UInt64(function.number), UInt64(bitPattern: Int64(callee)), UInt64(build)) % 0x100
    return 0x4000 + (start + within) * 4
  }

  /// The name in this build's symbols. Optimisers specialise and merge functions.
  static func name(_ function: Function, build: Int) -> String {
    switch SeededRandom.fixed(UInt64(function.number), UInt64(build), 23) % 8 {
    case 0: "generic specialization <Swift.Int> of \(function.name)"
    case 1: "merged \(function.name)"
    case 2: "partial apply forwarder for \(function.name)"
    case 3: "(1) await resume partial function for \(function.name)"
    default: function.name
    }
  }

  /// Whether this build's optimiser inlined the function into its caller.
  static func inlines(_ function: Function, build: Int) -> Bool {
    SeededRandom.fixed(UInt64(function.number), UInt64(build), 29) % 4 == 0
  }

  private static let subjects = [
    "Cart", "Search", "Feed", "Profile", "Checkout", "Payment", "Order", "Image", "Message", "Login", "Coupon",
    "Review",
    "Address", "Wish", "Video",
  ]
  private static let parts = ["ViewController", "Store", "Loader", "Model", "Cell", "Service", "Parser", "Cache"]
  private static let verbs = [
    "reload", "checkout", "decode", "merge", "open", "remove", "update", "scroll", "animate", "validate", "send",
    "layout",
  ]
}
