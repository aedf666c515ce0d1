import Access
import HTTP
import Health
import JSON
import Pages
import Storage
import Telemetry

/// Decisions about an app: of its groups and silences. Forms of its pages send fields and are led back to the page;
/// programs send JSON to the same path below `/api/v1`, with a token that may edit.
struct DecisionRoutes {
  let context: ServerContext
  let throttle: LoginThrottle

  /// What a decision is about.
  enum Subject: Equatable {
    case group(String)
    case newSilence
    case silence(Int64)
  }

  private struct Address {
    var app: String
    var subject: Subject
    var isAPI: Bool
  }

  /// Whether a request is a decision by its method and path.
  static func isDecision(_ method: String, _ segments: [String]) -> Bool {
    guard let address = address(segments) else { return false }
    if case .silence = address.subject, address.isAPI { return method == "DELETE" }
    return method == "POST"
  }

  /// The methods of an address at which decisions are made; nil for any other address.
  static func allowedMethods(_ segments: [String]) -> String? {
    guard let address = address(segments) else { return nil }
    switch (address.subject, address.isAPI) {
    case (.group, _), (.newSilence, true): return "GET, HEAD, POST"
    case (.newSilence, false), (.silence, false): return "POST"
    case (.silence, true): return "DELETE"
    }
  }

  private static func address(_ segments: [String]) -> Address? {
    let isAPI = segments.prefix(2) == ["api", "v1"]
    let rest = Array(segments.dropFirst(isAPI ? 2 : 0))
    guard (3...4).contains(rest.count), rest[0] == "apps" else { return nil }
    let subject: Subject? =
      switch (rest[2], rest.count) {
      case ("groups", 4): .group(rest[3])
      case ("silences", 3): .newSilence
      case ("silences", 4): Int64(rest[3]).map(Subject.silence)
      default: nil
      }
    return subject.map { Address(app: rest[1], subject: $0, isAPI: isAPI) }
  }

  /// Checks the client and stores the decision. `isDecided` is called afterwards, to drop cached pages; a page that is
  /// being rendered at that moment may still be cached.
  func response(
    to request: RequestSnapshot, from reader: ReadAccess.Reader?, at now: Timestamp, isDecided: () -> Void
  ) -> Response {
    // Browsers send no tokens by themselves.
    if reader?.kind != .token, !request.isFromOwnPage(publicURL: context.settings.publicURL) {
      return ErrorResponses.foreignPage
    }
    // A client of an open loopback server has no user name.
    guard let reader, reader.kind != .loopback, let address = Self.address(request.segments) else {
      return ErrorResponses(request).unauthorized
    }
    do {
      guard let app = try context.control.app(bundleID: address.app),
        reader.permission.allows(.read, on: app.id) || reader.permission.allows(.edit, on: app.id)
      else { return ErrorResponses(request).notFound }
      guard reader.permission.allows(.edit, on: app.id) else {
        return ErrorResponses(request).forbidden("This needs the role editor, or a token with the scope edit.")
      }
      if case .wait(let seconds) = throttle.decision(of: reader.actor.key, at: now) {
        return ErrorResponses(request).tooManyDecisions(seconds)
      }
      let fields = try address.isAPI ? DecisionFields(json: request.body) : DecisionFields(form: request.body)
      let decision = Decision(context: context, actor: reader.actor, app: app, fields: fields, now: now)
      guard let page = try decision.store(address.subject) else { return ErrorResponses(request).notFound }
      isDecided()
      if address.isAPI { return Response(status: 204) }
      return Response(status: 303, headers: [("Location", page.path)] + Security.headers)
    } catch let error as InvalidQuery {
      return ErrorResponses(request).badRequest(error)
    } catch ControlError.full(let detail) {
      return ErrorResponses(request).badRequest(InvalidQuery(detail: detail, parameter: nil, isReadable: true))
    } catch {
      context.report(error)
      return ErrorResponses(request).failure
    }
  }
}

/// The fields of a decision, from a form or JSON.
struct DecisionFields {
  private let values: [String: String]

  init(form body: [UInt8]) {
    let form = FormFields(body)
    let names = ["state", "release", "owner", "note", "rule", "incident", "hours", "reason"]
    values = Dictionary(uniqueKeysWithValues: names.compactMap { name in form[name].map { (name, $0) } })
  }

  /// Reads an object of texts and numbers; an empty body has no fields.
  init(json body: [UInt8]) throws {
    guard !body.isEmpty else {
      values = [:]
      return
    }
    do {
      values = try body.withUnsafeBytes { bytes in
        try JSONParser(maximumDepth: 8, mostValues: 100).withDocument(bytes) { root in
          var values: [String: String] = [:]
          for (key, value) in try root.object() where !value.isNull {
            values[key.string] = try value.integerOrNil.map(String.init) ?? value.text().string
          }
          return values
        }
      }
    } catch let error as JSONError {
      throw InvalidQuery(detail: "the body: \(error)")
    }
  }

  /// A field's value as it was sent, which may be empty; nil if it is missing.
  func text(_ name: String) -> String? { values[name] }

  /// A field's value; nil if it is missing or blank.
  subscript(name: String) -> String? { values[name].flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 } }
}
