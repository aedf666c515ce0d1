import Analysis
import Core
import Storage

/// Decisions about the groups and silences of an app. Forms on its pages send fields and are redirected back to the
/// page. Programs send JSON to the same path below `/api/v1`, with a token that may edit.
struct DecisionRoutes: Sendable {
  private let backend: any ServerBackend
  private let access: ReadAccess
  private let throttle: LoginThrottle
  /// Removes cached pages after a decision; a page that is being rendered at that moment may still be cached.
  private let isDecided: @Sendable () -> Void

  init(
    _ backend: any ServerBackend, _ access: ReadAccess, _ throttle: LoginThrottle,
    isDecided: @escaping @Sendable () -> Void
  ) {
    (self.backend, self.access, self.throttle, self.isDecided) = (backend, access, throttle, isDecided)
  }

  /// The subject of a decision.
  enum Subject {
    case group
    case newSilence
    case silence
  }

  /// Checks the client and stores the decision. The address contains the app, then the group or silence.
  func decide(_ subject: Subject) -> Route.Handler {
    { [self] call in
      let request = call.request
      let reader = try access.reader(of: request, at: backend.now())
      return answer(request, from: reader, about: subject, call.arguments)
    }
  }

  private func answer(
    _ request: RequestSnapshot, from reader: ReadAccess.Reader?, about subject: Subject, _ names: [String]
  ) -> Response {
    let now = backend.now()
    // Browsers do not send tokens automatically, so requests with a token cannot be forged by another site.
    if reader?.kind != .token, !request.isFromOwnPage(publicURL: backend.settings.publicURL) {
      return ErrorResponses.foreignPage
    }
    // A client of an open loopback server has no user name.
    guard let reader, reader.kind != .loopback else { return ErrorResponses(request).unauthorized }
    let isAPI = request.segments.first == "api"
    do {
      guard let app = try backend.control.app(bundleID: names[0]),
        reader.permission.allows(.read, on: app.id) || reader.permission.allows(.edit, on: app.id)
      else { return ErrorResponses(request).notFound }
      guard reader.permission.allows(.edit, on: app.id) else {
        return ErrorResponses(request).forbidden("This requires the role editor, or a token with the scope edit.")
      }
      if case .wait(let seconds) = throttle.decision(of: reader.actor.key, at: now) {
        return ErrorResponses(request).tooManyDecisions(seconds)
      }
      let fields = try isAPI ? DecisionFields(json: request.body) : DecisionFields(form: request.body)
      let decision = Decision(backend: backend, actor: reader.actor, app: app, fields: fields, now: now)
      guard let page = try decision.store(subject, named: names[names.count - 1]) else {
        return ErrorResponses(request).notFound
      }
      isDecided()
      if isAPI { return Response(status: 204) }
      return Response(status: 303, headers: [("Location", page.path)] + Security.headers)
    } catch let error as InvalidQuery {
      return ErrorResponses(request).badRequest(error)
    } catch ControlError.full(let detail) {
      return ErrorResponses(request).badRequest(InvalidQuery(detail: detail, parameter: nil, isReadable: true))
    } catch {
      backend.report(error)
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

  /// Reads a JSON object of texts and numbers; an empty body has no fields.
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
      throw InvalidQuery(detail: "body: \(error)")
    }
  }

  /// A field's value as sent, which may be empty; nil if it is missing.
  func text(_ name: String) -> String? { values[name] }

  /// A field's value; nil if it is missing or blank.
  subscript(name: String) -> String? { values[name].flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 } }
}
