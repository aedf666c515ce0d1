import Analysis
import Core

/// Error responses in the client's format: a page for browsers, problem+json for programs.
struct ErrorResponses {
  private let request: RequestSnapshot

  init(_ request: RequestSnapshot) { self.request = request }

  /// The response to a request without valid access. Browsers are redirected to the login page.
  var unauthorized: Response {
    if wantsPage { return Response(status: 303, headers: [("Location", loginAddress)] + SecurityHeaders.headers) }
    return .problem(
      401, "Login needed",
      detail: "Send a read token as `Authorization: Bearer TOKEN`. To create one, run `plumb token add NAME`.",
      headers: [("WWW-Authenticate", "Bearer")])
  }

  /// The address of the login page, with the requested path to return to after the login.
  private var loginAddress: String {
    guard request.method == "GET" else { return "/login" }
    let path = "/" + request.segments.map(PercentEncoding.encode).joined(separator: "/")
    let query = request.query.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }
    let target = path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    return RedirectPath.of(target) == "/" ? "/login" : "/login?next=" + PercentEncoding.encode(target)
  }

  var notFound: Response {
    let parts = request.segments
    let isDiagnostic = isForAPI && parts.count == 6 && parts[2] == "apps" && parts[4] == "diagnostics"
    guard isDiagnostic, Int64(parts[5]) != nil else {
      return answer(404, "Not found", "There is nothing at \(request.path), or no data for it yet.")
    }
    return answer(
      404, "Not found",
      "There is no diagnostic \(parts[5]), or it has no full sample. Groups keep full samples of their newest "
        + "diagnostics and of their most frequent stack.")
  }

  /// The response to an unsupported method. `allowed`: the value of the header `Allow`.
  func methodNotAllowed(_ allowed: String = "GET, HEAD") -> Response {
    answer(405, "Method not allowed", "This address supports \(allowed).", headers: [("Allow", allowed)])
  }

  var failure: Response {
    answer(500, "Something went wrong", "The server could not read its data. The reason is in its log.")
  }

  /// The response if the client's access could not be checked.
  var unavailable: Response {
    answer(
      503, "Not available", "The server could not check access. The reason is in its log. Try again shortly.",
      headers: [("Retry-After", "5")])
  }

  /// The response if a server with a part of the rows does not answer. `reason`: which server, and why.
  func rowsUnavailable(_ reason: String) -> Response {
    answer(
      503, "Not available", "The server accepts payloads, but \(reason). Try again shortly.",
      headers: [("Retry-After", "10")])
  }

  /// The response if something cannot be stored because the disk is full. `warning`: a sentence about the disk.
  func noRoom(_ warning: String) -> Response {
    answer(503, "No space", "\(warning). Try again when there is space.", headers: [("Retry-After", "300")])
  }

  /// The response to a client whose role or token does not allow the request. `detail`: what is missing.
  func forbidden(_ detail: String) -> Response { answer(403, "Not allowed", detail) }

  /// The response to a user or token that makes decisions too fast for the audit log.
  func tooManyDecisions(_ seconds: Int) -> Response {
    answer(
      429, "Too many decisions", "The limit is 120 at once, then one per second. Try again in \(seconds) s.",
      headers: [("Retry-After", "\(seconds)")])
  }

  /// The response to a form that another site made the browser send.
  static let foreignPage = Response.problem(
    403, "Cross-site request", detail: "This form can only be sent from Plumb's own pages."
  ).prepared()

  /// The response to an invalid query: for pages always 400. The API distinguishes invalid values (400) from valid ones
  /// that cannot be answered (409).
  func badRequest(_ error: InvalidQuery) -> Response {
    guard isForAPI else { return answer(400, "Not understood", error.detail) }
    let (status, title) = error.isReadable ? (409, "Cannot be answered") : (400, "Not understood")
    guard let parameter = error.parameter else { return .problem(status, title, detail: error.detail) }
    return .problem(status, title, detail: error.detail, ["parameter": .string(parameter)])
  }

  private var isForAPI: Bool { request.segments.first == "api" }

  private var wantsPage: Bool {
    !isForAPI && (request.header("Accept") ?? "").contains("text/html")
  }

  private func answer(
    _ status: Int, _ title: String, _ detail: String, headers: [(String, String)] = []
  ) -> Response {
    guard wantsPage else { return .problem(status, title, detail: detail, headers: headers) }
    let body = HTTPErrorView.render(status: status, detail: detail, PageContext(mountPath: request.mountPath))
    return Response(
      status: status,
      headers: [("Content-Type", "text/html; charset=utf-8")] + SecurityHeaders.headers + headers, body: body)
  }
}
