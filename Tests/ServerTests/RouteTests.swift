import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Core
@testable import Storage
@testable import Web

/// What every address answers to every method, by who asks: whether the request is refused at its headers, the status, and
/// the header `Allow`. `RECORD=1` writes `Golden/routes.txt` anew.
@Suite("The routes of a server", .serialized)
struct RouteTests {
  private static let now = Timestamp(milliseconds: 1_795_000_000_000)
  private static let key = String(repeating: "a", count: 32)

  private static let targets = [
    "/", "/?wall", "/apps/com.example.shop?wall=light", "/wall", "/healthz", "/healthz/", "/readyz", "/metrics",
    "/plumb.css", "/plumb.css/", "/openapi.json", "/login", "/login/", "/logout", "/login/oidc", "/login/oidc/callback",
    "/login/oidc/logout", "/account", "/account/", "/account/all", "/account/end-login", "/account/users", "/audit",
    "/audit?who=a", "/server", "/alerts", "/apps/com.example.shop", "/apps/com.example.shop/",
    "/apps/com.example.shop/exits", "/apps/x/icon.png", "/apps/x/groups/7", "/apps/x/silences", "/apps/x/silences/",
    "/apps/x/silences/3", "/apps/x/silences/a", "/nothing", "/apps/x/nothing", "/api", "/api/v1", "/api/v1/",
    "/api/v1/nothing", "/api/v2/apps", "/api/v1/apps", "/api/v1/apps?nothing=1", "/api/v1/apps/x/report",
    "/api/v1/apps/x/silences", "/api/v1/apps/x/silences?nothing=1", "/api/v1/apps/x/silences/3",
    "/api/v1/apps/x/silences/a", "/api/v1/apps/x/groups/7", "/api/v1/apps/x/diagnostics/7",
    "/api/v1/apps/x/diagnostics/a", "/api/v1/symbols", "/api/v1/symbols?nothing=1", "/api/v1/symbols/",
    "/api/v1/apps/x/symbols", "/api/v1/audit", "/api/v1/audit?who=a", "/api/v1/prometheus", "/api/v1/gate/check",
    "/api/v1/gate/compare", "/api/v1/gate/nothing", "/api/v1/gate/check/", "/api/v1/apps/x/deletions",
    "/api/v1/apps/x/deletions/", "/api/v1/deletions/3", "/api/v1/deletions/a", "/api/v1/nodes/configuration",
    "/api/v1/nodes/configuration/", "/api/v1/nodes/00000000000000aa/records",
    "/api/v1/nodes/00000000000000aa/records?after=0", "/api/v1/nodes/x/records?after=0", "/api/v1/nodes",
    "/api/0/organizations/o/chunk-upload", "/api/0/organizations/o/chunk-upload/",
    "/api/0/projects/o/p/files/difs/assemble/", "/api/0/projects/o/p/files", "/v1/payloads", "/v1/payloads/",
    "/v1/payloads//", "/v1/metrics", "/v1/logs/", "/v1/traces", "/v1/nothing", "/api/42/envelope/", "/api/42/envelope",
    "/api/42/store/", "/api/shop/store/", "/api/v1/envelope/", "/api/42/envelope/x", "/api//envelope/",
    "/%761/payloads", "/v1%2Fpayloads", "/api/42%2Fenvelope/", "/log%69n", "/login%2Foidc", "/log%2Fout", "//login",
    "//v1/payloads", "/apps//x", "/apps%2Fx",
  ]

  private static func answers() throws -> String {
    let control = HeldControl(keys: [key])
    let tokens: [(name: String, rights: AccessRights)] = [
      ("read", .read), ("upload", .upload), ("relay", .relay), ("delete", .delete), ("administer", .administer),
      ("edit", .edit),
    ]
    let texts = tokens.map { (name: $0.name, text: "plumb_" + $0.name) }
    control.grant(
      tokens.enumerated().map { index, token in
        AccessToken(
          id: Int32(index + 1), name: token.name, hash: TokenHash.of("plumb_" + token.name) ?? "", rights: token.rights,
          created: now)
      })
    var lines: [String] = []
    for isOpen in [false, true] {
      let handler = Router(try HeldBackend(control, HeldJournal(), isOpen: isOpen) { now })
      let clients: [(name: String, headers: [(String, String)])] =
        [("anyone", [])] + (isOpen ? [] : texts.map { ($0.name, [("Authorization", "Bearer \($0.text)")]) })
        + (isOpen ? [] : [("app", [("X-Plumb-Key", key)])])
      for target in targets {
        for client in clients {
          let methods =
            client.name == "anyone" && !isOpen
            ? ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"] : ["GET", "POST", "PUT", "DELETE"]
          let found = methods.map { method in
            let answer = Self.answer(method, target, client.headers, handler)
            return "\(method) \(answer)"
          }
          lines.append("\(target) \(isOpen ? "open" : client.name): \(found.joined(separator: ", "))")
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The status; `!` in front of it for a refusal at the headers, and the values of `Allow` and `Location` behind it.
  private static func answer(
    _ method: String, _ target: String, _ headers: [(String, String)], _ handler: any RequestHandler
  ) -> String {
    let all = headers + [("Host", "127.0.0.1"), ("Sec-Fetch-Site", "same-origin"), ("Accept", "text/html")]
    var head = RequestHead(method: method, target: target, headers: all)
    var admission = handler.admit(head)
    if case .askAgain(let start) = admission {
      let woken = DispatchSemaphore(value: 0)
      start { woken.signal() }
      woken.wait()
      head = RequestHead(method: method, target: target, headers: all)
      head.isAskedAgain = true
      admission = handler.admit(head)
    }
    let responder: any Responder
    switch admission {
    case .refuse(let response): return "!" + text(response)
    case .askAgain: return "again"
    case .accept(_, _, let found): responder = found ?? handler
    case .spool(_, _, let found): responder = found ?? handler
    }
    let answered = DispatchSemaphore(value: 0)
    let response = Mutex<Response?>(nil)
    let reply = PendingReply { sent in
      response.withLock { $0 = sent }
      answered.signal()
    }
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { padding in
      padding.initializeMemory(as: UInt8.self, repeating: 0)
      responder.respond(
        to: Request(
          head: RequestHead(method: method, target: target, headers: all),
          body: UnsafeRawBufferPointer(start: padding.baseAddress, count: 0), received: now.milliseconds), reply)
    }
    guard answered.wait(timeout: .now() + 20) == .success else { return "none" }
    return response.withLock { $0.map(text) } ?? "none"
  }

  private static func text(_ response: Response) -> String {
    let shown = response.headers.filter { $0.0 == "Allow" || $0.0 == "Location" }.map { " [\($0.1)]" }
    return "\(response.status)" + shown.joined()
  }

  @Test("an open server treats a request as local only with exactly one Host")
  func hosts() throws {
    let handler = Router(try HeldBackend(HeldControl(keys: []), HeldJournal(), isOpen: true) { Self.now })
    #expect(!Self.answer("GET", "/api/v1/apps", [], handler).contains("401"))
    #expect(Self.answer("GET", "/api/v1/apps", [("Host", "localhost")], handler).contains("401"))
  }

  @Test("every method at every path gets its recorded answer, in the order of the checks")
  func answersAreKept() throws {
    let found = try Self.answers()
    #expect(found.split(separator: "\n").count > 700)
    #expect(try Golden.difference(found.utf8, from: "Tests/ServerTests/Golden/routes.txt") == nil)
  }
}
