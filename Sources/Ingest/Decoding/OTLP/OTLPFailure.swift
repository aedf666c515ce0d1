internal import Core

/// The reason why a body is not read.
enum OTLPFailure: Error {
  /// It is not a message, with an explanation.
  case malformed(String)
  /// It exceeds a limit of requests, with an explanation. `path`: the first message beyond the limit, from the inside
  /// out.
  case tooMany(String, path: [String])

  static let tooManyPoints = OTLPFailure.tooMany(
    "a request may have at most \(OTLPLimits.points) data points, log records or spans; split it", path: [])
  static let tooDeep = OTLPFailure.malformed("values are nested deeper than \(OTLPLimits.depth) levels")

  /// The failure of the message around the failed one, which is its `index`th with this name.
  func inside(_ name: StaticString, _ index: Int) -> OTLPFailure {
    guard case .tooMany(let problem, let path) = self else { return self }
    return .tooMany(problem, path: path + ["\(name)[\(index)]"])
  }

  /// Runs `read` for a message that is the `index`th with this name.
  @inline(__always)
  static func inside(_ name: StaticString, _ index: Int, _ read: () throws(OTLPFailure) -> Void) throws(OTLPFailure) {
    do throws(OTLPFailure) { try read() } catch { throw error.inside(name, index) }
  }

  /// The path from the outside in, cut after 300 bytes.
  static func path(_ names: [String]) -> String {
    names.reversed().reduce("") { $0.utf8.count > 300 ? $0 : $0.isEmpty ? $1 : "\($0).\($1)" }
  }
}
