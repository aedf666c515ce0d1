import Glibc
import Synchronization
import Testing
import TestSupport

@testable import Web

@Suite("Replies")
struct ReplyTests {
  @Test("an answer may come later, from another thread")
  func later() throws {
    let kept = Kept()
    let scene = try Scene { _, reply in kept.add(reply) }
    let client = scene.connect()
    client.write("POST", "/", body: [65])
    #expect(kept.wait(for: 1))
    #expect(client.isSilent(milliseconds: 100))
    Crew(1) { _ in kept.take().forEach { $0.send(.text("from afar", status: 202)) } }.wait()
    let answer = client.answer()
    #expect(answer?.status == 202)
    #expect(answer?.text == "from afar")
  }

  @Test("a reply dropped inside respond or later is a 500, and the connection stays open", arguments: [true, false])
  func dropped(atOnce: Bool) throws {
    let kept = Kept()
    let scene = try Scene { request, reply in
      if request.head.method == "GET" { reply.send(.text("alive")) } else if !atOnce { kept.add(reply) }
    }
    let client = scene.connect()
    client.write("POST", "/", body: [65])
    if !atOnce {
      #expect(kept.wait(for: 1))
      _ = kept.take()
    }
    #expect(client.answer()?.status == 500)
    client.write("GET", "/")
    #expect(client.answer()?.text == "alive")
  }

  @Test("only the first reply to a request is sent")
  func twice() throws {
    let scene = try Scene { _, reply in
      reply.send(.text("first"))
      reply.send(.text("second"))
    }
    let client = scene.connect()
    client.write("GET", "/")
    #expect(client.answer()?.text == "first")
    #expect(client.isSilent(milliseconds: 100))
  }

  @Test("a reply that is kept after its answer cannot answer the next request")
  func stale() throws {
    let kept = Kept()
    let scene = try Scene { request, reply in
      kept.add(reply)
      if request.head.path == "/first" { reply.send(.text("first")) }
    }
    let client = scene.connect()
    client.write("GET", "/first")
    #expect(client.answer()?.text == "first")
    let stale = kept.take()
    client.write("GET", "/second")
    #expect(kept.wait(for: 1))
    stale.forEach { $0.send(.text("wrong")) }
    #expect(client.isSilent(milliseconds: 100))
    kept.take().forEach { $0.send(.text("second")) }
    #expect(client.answer()?.text == "second")
  }

  @Test("a send at the end of respond is neither lost nor doubled")
  func race() throws {
    let queue = Answering()
    let scene = try Scene { request, reply in queue.add(request.body.count, reply) }
    Crew(3) { index in
      if index > 0 { return queue.run(until: 1000) }
      let client = scene.connect()
      for turn in 0..<2000 {
        client.write("POST", "/", body: [UInt8](repeating: 1, count: turn % 7))
        guard client.answer()?.text == "\(turn % 7)" else {
          Issue.record("request \(turn)")
          return queue.end()
        }
      }
    }.wait()
  }

  @Test("a reply may end with a closure that is called once, even if the reply is dropped")
  func closure() {
    let statuses = Mutex<[Int]>([])
    var reply: PendingReply? = PendingReply { response in statuses.withLock { $0.append(response.status) } }
    reply?.send(.text("a", status: 202))
    reply?.send(.text("b"))
    reply = nil
    reply = PendingReply { response in statuses.withLock { $0.append(response.status) } }
    reply = nil
    #expect(statuses.withLock { $0 } == [202, 500])
  }
}
