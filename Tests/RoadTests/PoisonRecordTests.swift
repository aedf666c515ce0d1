import Foundation
import Testing
import TestSupport

/// A record on which the process ends, whatever the reason. No real one is known, so a library that is loaded before
/// SQLite's ends the process wherever a certain version would be stored.
@Suite("A record that crashes the process")
struct PoisonRecordTests {
  private static let source = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdlib.h>
    #include <string.h>
    #include <signal.h>
    typedef int (*bind)(void *, int, const char *, int, void (*)(void *));
    int sqlite3_bind_text(void *statement, int position, const char *text, int length, void (*free)(void *)) {
      const char *poison = getenv("POISON");
      if (poison && text && (length < 0 || length >= (int)strlen(poison)) && !strncmp(text, poison, strlen(poison)))
        raise(SIGILL);
      return ((bind)dlsym(RTLD_NEXT, "sqlite3_bind_text"))(statement, position, text, length, free);
    }
    """

  private static func post(_ client: HTTPClient, _ key: String, version: String, session: String) -> Int? {
    let body = Payload.native(Payload.sessions([session])).replacingOccurrences(of: "4.2.0", with: version)
    return client.send("POST", "/v1/payloads", [("X-Plumb-Key", key)], body: body)?.status
  }

  @Test("a record crashes the process once: the next start quarantines and reports it, and counts all others")
  func setAside() throws {
    let stage = try Stage()
    guard let library = try stage.library(Self.source, "poison") else {
      Issue.record("no C compiler")
      return
    }
    let key = try stage.addApp()
    let other = try stage.addApp("com.example.other")
    let environment = ["LD_PRELOAD": library, "POISON": "6.6.6", "SWIFT_BACKTRACE": "enable=no"]
    let first = try stage.serve(environment: environment)
    let client = first.connect()
    for number in 0..<5 {
      #expect(Self.post(client, key, version: "4.2.0", session: "a\(number)") == 202)
      #expect(Self.post(client, other, version: "1.0", session: "b\(number)") == 202)
    }
    #expect(Self.post(client, key, version: "6.6.6", session: "poison") == 202)
    #expect(first.child.waitFor(seconds: 60) == .signal(SIGILL))

    let token = [("Authorization", "Bearer \(try stage.addToken())")]
    let second = try stage.serve(environment: environment)
    #expect(try stage.report { $0["sessions"]["total"].integer == 5 }["sessions"]["total"].integer == 5)
    #expect(try stage.report(of: "com.example.other")["sessions"]["total"].integer == 5)
    let again = second.connect()
    #expect(Self.post(again, key, version: "4.2.1", session: "after") == 202)
    #expect(try stage.report { $0["sessions"]["total"].integer == 6 }["sessions"]["total"].integer == 6)
    let quality = try #require(again.send("GET", "/api/v1/apps/\(Payload.app)/data-quality", token))
    #expect(try JSON(quality.text)["set_aside"].integer == 1)
    let page = try #require(again.send("GET", "/apps/\(Payload.app)/data-quality", token))
    #expect(page.text.contains("Quarantined"))
    let check = try stage.run("check")
    #expect(check.output.contains("1 record or row could not be read or stored and is quarantined"), "\(check.output)")
    #expect(second.stop() == .exit(0))
    #expect(second.child.errors.contains("Record 11 crashed the process. It is quarantined"), "\(second.child.errors)")

    // Nothing is tried again.
    let third = try stage.serve(environment: environment)
    #expect(third.stop() == .exit(0))
    #expect(!third.child.errors.contains("digested in a child process"), "\(third.child.errors)")
  }

  @Test("a record that was only being digested when the server was killed is counted once")
  func killed() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let first = try stage.serve()
    #expect(Self.post(first.connect(), key, version: "4.2.0", session: "a") == 202)
    first.kill()
    try Data("digesting 1\n".utf8).write(to: URL(fileURLWithPath: stage.data + "/digest.marker"))
    let second = try stage.serve()
    #expect(try stage.report { $0["sessions"]["total"].integer == 1 }["sessions"]["total"].integer == 1)
    #expect(second.stop() == .exit(0))
    #expect(second.child.errors.contains("digested in a child process"))
    #expect(!second.child.errors.contains("is quarantined"))
  }
}
