import Foundation
import Testing
import TestSupport

@testable import Web

@Suite("The secret of a data folder")
struct SecretFileTests {
  @Test("the secret of a data folder is created once, only for its owner, and leaves no other file")
  func create() throws {
    try withFolder { folder in
      let first = try SecretFile.readOrCreate(in: folder)
      #expect(first.count == 32)
      #expect(Set(first).count > 8)
      #expect(try SecretFile.readOrCreate(in: folder) == first)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["secret"])
      let mode = try FileManager.default.attributesOfItem(atPath: folder + "/secret")[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test("processes that create a data folder's secret at the same time agree on one")
  func race() throws {
    try withFolder { folder in
      let found = Collected()
      DispatchQueue.concurrentPerform(iterations: 16) { _ in
        if let secret = try? SecretFile.readOrCreate(in: folder) { found.add(secret) }
      }
      #expect(found.all.count == 16)
      #expect(Set(found.all).count == 1)
    }
  }

  @Test("a secret that others may read, or that is damaged, is refused with instructions")
  func refused() throws {
    try withFolder { folder in
      _ = try SecretFile.readOrCreate(in: folder)
      let path = folder + "/secret"
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
      let open = #expect(throws: SecretError.self) { try SecretFile.readOrCreate(in: folder) }
      #expect(open?.description == "\(path) can be read by other users. Run `chmod 600 \(path)`.")

      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      for size in [0, 31, 33] {
        try Data(repeating: 7, count: size).write(to: URL(fileURLWithPath: path), options: [])
        let damaged = #expect(throws: SecretError.self) { try SecretFile.readOrCreate(in: folder) }
        #expect(damaged?.problem == "does not have 32 bytes. Restore it from a backup.")
      }
    }
  }

  @Test("a data folder that does not exist is an error, not a trap")
  func noFolder() {
    #expect(throws: SecretError.self) { try SecretFile.readOrCreate(in: "/nonexistent/folder") }
  }
}

private final class Collected: @unchecked Sendable {
  // Invariant: `values` is only touched while `lock` is held.
  private let lock = NSLock()
  private var values: [[UInt8]] = []

  var all: [[UInt8]] { lock.withLock { values } }

  func add(_ value: [UInt8]) { lock.withLock { values.append(value) } }
}
