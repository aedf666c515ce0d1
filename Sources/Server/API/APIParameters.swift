import HTTP
import Health

/// The parameters of an API request, held against those that its address knows.
///
/// Pages skip what they do not know: links to them come from everywhere. A program that misspells `from` would get
/// numbers of another window and never notice, so the API refuses.
struct APIParameters {
  private static let texts: Set = ["environment", "release", "os", "device", "device_class", "label"]

  static func check(_ query: [(name: String, value: String)], known: [String]) throws(InvalidQuery) {
    var seen: Set<String> = []
    for (name, value) in query {
      guard known.contains(name) else {
        let choice = known.isEmpty ? "none is known here" : "known here: \(known.joined(separator: ", "))"
        throw InvalidQuery(detail: "\(name): an unknown parameter; \(choice)", parameter: name)
      }
      guard seen.insert(name).inserted else {
        throw InvalidQuery(detail: "\(name): given more than once", parameter: name)
      }
      // An empty text narrows nothing, as in the forms of the pages.
      if value.isEmpty, !texts.contains(name) {
        throw InvalidQuery(detail: "\(name): expected a value, found nothing", parameter: name)
      }
    }
  }
}
