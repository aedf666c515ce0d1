import Foundation
import Synchronization
import Testing
import TestSupport

@Suite("A compressed body")
struct EncodingTests {
  @Test("a compressed body is counted like an uncompressed one, in every coding and letter case")
  func codings() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve()
    let client = server.connect()
    for (index, sample) in PackedPayload.all.enumerated() {
      for name in sample.names {
        let headers = [("X-Plumb-Key", key), ("Content-Encoding", name)]
        #expect(client.post(sample.data, headers)?.status == 202, "\(name)")
        #expect(client.post(sample.data, headers, chunks: 7 + index)?.status == 202, "\(name), in chunks")
      }
    }
    #expect(server.stop() == .exit(0))
    // Each coding's body has a session of its own.
    #expect(try stage.report()["sessions"]["total"].integer == PackedPayload.all.count)
  }

  @Test("a body in two codings is decompressed in reverse, from one header or two, and three codings are refused")
  func layers() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let client = try stage.serve().connect()
    let twice = PackedPayload.gzipThenDeflate
    let own = ("X-Plumb-Key", key)
    #expect(client.post(twice, [own, ("Content-Encoding", "gzip, deflate")])?.status == 202)
    #expect(client.post(twice, [own, ("Content-Encoding", "gzip"), ("Content-Encoding", "deflate")])?.status == 202)
    #expect(client.post(twice, [own, ("Content-Encoding", "identity, gzip, , deflate")])?.status == 202)
    #expect(client.post(twice, [own, ("Content-Encoding", "deflate, gzip")])?.status == 400)
    #expect(client.post(twice, [own, ("Content-Encoding", "gzip, gzip, deflate")])?.status == 415)
  }

  @Test("a body in an unknown coding gets 415 with the known ones")
  func unknown() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let client = try stage.serve().connect()
    let own = ("X-Plumb-Key", key)
    for name in ["compress", "gzip, snappy", "gzip;q=1", "\u{1F600}"] {
      let answer = client.post("{}".utf8, [own, ("Content-Encoding", name)])
      #expect(answer?.status == 415, "\(name)")
      #expect(answer?.header("Accept-Encoding") == "gzip, deflate, br, zstd")
      #expect(answer?.header("Content-Type") == "application/problem+json")
    }
    for name in ["identity", "", " Identity ", "identity, identity"] {
      let body = Payload.native(Payload.sessions(["a"]))
      #expect(client.post(body.utf8, [own, ("Content-Encoding", name)])?.status == 202, "\(name)")
    }
  }

  @Test("a damaged or truncated compressed body gets 400 with the reason, is counted, and keeps the connection")
  func damaged() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve()
    let client = server.connect()
    let sample = PackedPayload.gzip.data
    for body in [sample.dropLast(), sample + Data([1]), Data("{}".utf8), Data()] {
      let answer = try #require(client.post(body, [("X-Plumb-Key", key), ("Content-Encoding", "gzip")]))
      #expect(answer.status == 400 && answer.header("Content-Type") == "application/problem+json")
      #expect(try JSON(answer.text)["reason"].text == "encoding")
    }
    // Whole, but no payload.
    let text = client.post(PackedText.zstd, [("X-Plumb-Key", key), ("Content-Encoding", "zstd")])
    #expect(try text?.status == 400 && JSON(text?.text ?? "")["reason"].text == "syntax")
    #expect(server.stop() == .exit(0))
    let found = try tallies(of: stage)
    #expect(found["rejected encoding"] == 4)
    #expect(found["rejected syntax"] == 1)
  }

  @Test("a body that decompresses to over 16 MiB gets 413 and is counted, with little memory for any number of them")
  func bombs() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve()
    #expect(
      server.connect().post(PackedPayload.gzip.data, [("X-Plumb-Key", key), ("Content-Encoding", "gzip")])?.status
        == 202)
    let before = try server.peakMemory()
    let bombs = [
      ("gzip", Bomb.gzip(packedSize: 3 << 20)), ("deflate", Bomb.zlib(packedSize: 3 << 20)), ("br", Bomb.brotli),
      ("deflate", Bomb.rawDeflate(packedSize: 3 << 20)), ("zstd", Bomb.zstd(blocks: 8192)),
    ]
    let wrong = Mutex<[String]>([])
    let crew = Crew(10) { index in
      let client = server.connect(timeout: 30)
      let (name, body) = bombs[index % bombs.count]
      for _ in 0..<3 {
        let answer = client.post(body, [("X-Plumb-Key", key), ("Content-Encoding", name)])
        let isRight = answer?.status == 413 && answer?.header("Content-Type") == "application/problem+json"
        if !isRight { wrong.withLock { $0.append("\(name): \(answer?.status ?? 0)") } }
      }
    }
    #expect(crew.wait(seconds: 240))
    #expect(wrong.withLock { $0 } == [])
    // Thirty bombs of a gibibyte or half of one. Ten bodies of 3 MiB arrive, and 16 MiB are unpacked, at a time.
    #expect(try server.peakMemory() - before < 112 << 20)
    #expect(server.stop() == .exit(0))
    #expect(try tallies(of: stage)["limited body too large"] == 30)
  }

  @Test("a compressed body may decompress to more than the limit of a plain body")
  func large() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let client = try stage.serve().connect()
    // 12 MiB of spaces in front of nothing: unpacked whole, then empty. A plain one of that size is refused.
    let spaces = PackedPayload.spaces
    let answer = client.post(spaces, [("X-Plumb-Key", key), ("Content-Encoding", "zstd")])
    #expect(try answer?.status == 400 && JSON(answer?.text ?? "")["reason"].text == "empty")
  }
}
