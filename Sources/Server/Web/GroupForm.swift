import Access
import Issues
import Pages
import HTTP
import Health
import Storage
import Telemetry

/// Handles the form on a group's page, with which logged-in users resolve or ignore the group, or take that back.
struct GroupForm: Sendable {
  let context: ServerContext

  /// Whether a path is `/apps/{id}/groups/{name}`.
  static func isAddress(_ segments: [String]) -> Bool {
    segments.count == 4 && segments[0] == "apps" && segments[2] == "groups"
  }

  /// Stores the decision of a submitted form and redirects to the group. `isDecided` is called afterwards, to drop
  /// cached pages; a page that is being rendered at that moment may still be cached.
  func response(
    to request: RequestSnapshot, from reader: ReadAccess.Reader?, at now: Timestamp, isDecided: () -> Void
  ) -> Response {
    guard request.isFromOwnPage(publicURL: context.settings.publicURL) else { return ErrorResponses.foreignPage }
    // Tokens only allow reading, and a client of an open loopback server has no user name.
    guard let reader, reader.isSignedIn else { return ErrorResponses(request).unauthorized }
    do {
      let fields = FormFields(request.body)
      guard let app = try context.control.app(bundleID: request.segments[1]) else {
        return ErrorResponses(request).notFound
      }
      let state = try state(fields) { try context.groups(app).release(typed: $0, of: app, now: now) }
      guard let page = try context.groups(app).group(app, named: request.segments[3], now: now),
        let fingerprint = Fingerprint.hash(named: page.group.id)
      else { return ErrorResponses(request).notFound }
      try context.control.decide(GroupDecision(state, changed: now), of: app.id, group: fingerprint)
      isDecided()
      let address = Page.group(app: app.bundleID, id: page.group.id).path
      return Response(status: 303, headers: [("Location", address)] + Security.headers)
    } catch let error as InvalidQuery {
      return ErrorResponses(request).badRequest(error)
    } catch {
      context.report(error)
      return ErrorResponses(request).failure
    }
  }

  private func state(_ fields: FormFields, release: (String) throws -> String) throws -> GroupDecision.State {
    switch fields["state"] {
    case "open": return .open
    case "ignored": return .ignored
    case "resolved":
      let text = fields["release"] ?? ""
      guard !text.allSatisfy(\.isWhitespace) else {
        throw InvalidQuery(detail: "release: name the release that mended it", parameter: "release")
      }
      return .resolved(release: try release(text))
    default:
      throw InvalidQuery(detail: "state: expected open, resolved or ignored", parameter: "state")
    }
  }
}
