import Access
import Issues
import Pages
import HTTP
import Health
import JSON
import Storage
import Telemetry

/// Handles decisions about a group, to resolve or ignore it or to take that back: the form on its page, and JSON from
/// programs with a token (`{"state": "resolved", "release": "4.2.1"}`).
struct GroupForm: Sendable {
  let context: ServerContext

  /// Whether a path is `/apps/{id}/groups/{name}`, or the same below `/api/v1`.
  static func isAddress(_ segments: [String]) -> Bool { address(segments) != nil }

  private static func address(_ segments: [String]) -> (app: String, group: String, isAPI: Bool)? {
    let isAPI = segments.prefix(2) == ["api", "v1"]
    let rest = Array(segments.dropFirst(isAPI ? 2 : 0))
    guard rest.count == 4, rest[0] == "apps", rest[2] == "groups" else { return nil }
    return (rest[1], rest[3], isAPI)
  }

  /// Stores the decision; redirects to the group's page, or answers a program with 204. `isDecided` is called
  /// afterwards, to drop cached pages; a page that is being rendered at that moment may still be cached.
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
        return ErrorResponses(request).forbidden(
          "Deciding about groups needs the role editor, or a token that may edit.")
      }
      let fields = try fields(of: request, isJSON: address.isAPI)
      let state = try state(fields) { try context.groups(app).release(typed: $0, of: app, now: now) }
      guard let page = try context.groups(app).group(app, named: address.group, now: now),
        let fingerprint = Fingerprint.hash(named: page.group.id)
      else { return ErrorResponses(request).notFound }
      try context.control.acting(as: reader.actor).decide(
        GroupDecision(state, changed: now), of: app.id, group: fingerprint)
      isDecided()
      if address.isAPI { return Response(status: 204) }
      let path = Page.group(app: app.bundleID, id: page.group.id).path
      return Response(status: 303, headers: [("Location", path)] + Security.headers)
    } catch let error as InvalidQuery {
      return ErrorResponses(request).badRequest(error)
    } catch {
      context.report(error)
      return ErrorResponses(request).failure
    }
  }

  private func fields(of request: RequestSnapshot, isJSON: Bool) throws -> (String) -> String? {
    guard isJSON else {
      let form = FormFields(request.body)
      return { form[$0] }
    }
    do {
      let found = try request.body.withUnsafeBytes { bytes in
        try JSONParser().withDocument(bytes) { root in
          let object = try root.object()
          return try ["state": object["state"]?.text().string, "release": object["release"]?.text().string]
        }
      }
      return { found[$0] ?? nil }
    } catch let error as JSONError {
      throw InvalidQuery(detail: "the body: \(error)")
    }
  }

  private func state(_ field: (String) -> String?, release: (String) throws -> String) throws -> GroupDecision.State {
    switch field("state") {
    case "open": return .open
    case "ignored": return .ignored
    case "resolved":
      let text = field("release") ?? ""
      guard !text.allSatisfy(\.isWhitespace) else {
        throw InvalidQuery(detail: "release: name the release that mended it", parameter: "release")
      }
      return .resolved(release: try release(text))
    default:
      throw InvalidQuery(detail: "state: expected open, resolved or ignored", parameter: "state")
    }
  }
}
