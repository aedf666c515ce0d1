import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Symbols

@Suite("Chunks of uploads")
struct ChunkFolderTests {
  private let hello = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d"  // sha1sum of "hello"

  @Test("chunks of uploads are deleted an hour after their last use")
  func lifetime() throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    let symbols = try SymbolFolder(path: path)
    let chunks = try ChunkFolder(of: symbols, limit: 1 << 20)
    let start = Timestamp(milliseconds: 1_000_000)
    func later(_ minutes: Int64) -> Timestamp { Timestamp(milliseconds: start.milliseconds + minutes * 60_000) }
    let outcome = try Array("hello".utf8).withUnsafeBytes { try chunks.add($0, named: hello, of: 1, at: start) }
    #expect(outcome == .stored && chunks.size == 4096, "a small piece takes a block")
    #expect(chunks.missing([hello], of: 1, at: later(50)).isEmpty)
    #expect(chunks.missing([hello], of: 2, at: later(50)) == [hello])
    #expect(chunks.missing([hello], of: 1, at: later(109)).isEmpty, "asking is a use")
    #expect(chunks.missing([hello], of: 1, at: later(170)) == [hello])
    #expect(chunks.plansRemoval() && !chunks.plansRemoval(), "it is planned once")
    chunks.removeUnused(at: later(170))
    #expect(!chunks.plansRemoval(), "nothing is left to remove")
    #expect(chunks.size == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/incoming-pieces").isEmpty)
  }

  @Test("chunks of uploads are joined only to the announced file, within its limit")
  func joined() throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    let symbols = try SymbolFolder(path: path)
    let chunks = try ChunkFolder(of: symbols, limit: 1 << 20)
    let now = Timestamp(milliseconds: 1_000_000)
    _ = try Array("hello".utf8).withUnsafeBytes { try chunks.add($0, named: hello, of: 1, at: now) }
    #expect(chunks.size(of: [hello, "none"], owner: 1) == 4096 && chunks.size(of: [hello], owner: 2) == 0)
    let twice = "0000000000000000000000000000000000000000"
    var most = 3 * 4096
    #expect(try chunks.file(of: [hello, hello], owner: 1, sum: twice, most: &most, in: symbols) == nil, "another sum")
    #expect(most == 4096)
    #expect(try chunks.file(of: [hello, hello], owner: 1, sum: hello, most: &most, in: symbols) == nil, "too much")
    most = 4096
    #expect(try chunks.file(of: [hello], owner: 1, sum: hello, most: &most, in: symbols)?.size == 5)
    #expect(try chunks.file(of: [hello], owner: 2, sum: hello, most: &most, in: symbols) == nil)
  }
}
