import Analysis
import Storage

/// Decisions about the groups and silences of an app. Forms on its pages send fields and are redirected back to the
/// page. Programs send JSON to the same path below `/api/v1`, with a token that may edit.
struct TriageRoutes: Sendable {
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
      let fields = try isAPI ? TriageFields(json: request.body) : TriageFields(form: request.body)
      let decision = TriageDecision(backend: backend, actor: reader.actor, app: app, fields: fields, now: now)
      guard let page = try decision.store(subject, named: names[names.count - 1]) else {
        return ErrorResponses(request).notFound
      }
      isDecided()
      if isAPI { return Response(status: 204) }
      return Response(status: 303, headers: [("Location", page.path)] + SecurityHeaders.headers)
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
