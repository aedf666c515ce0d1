#if os(Linux)
  import Foundation

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// A real server, with a data folder of its own: the program that `PLUMB` names, or this repository's debug build.
  final class PlumbServer: @unchecked Sendable {
    static let program: URL = {
      let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
      return ProcessInfo.processInfo.environment["PLUMB"].map { URL(fileURLWithPath: $0) }
        ?? repository.appendingPathComponent(".build/debug/plumb")
    }()
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program.path) }

    struct Failure: Error {
      var text: String
    }

    let key: String
    private let place = TemporaryFolder()
    private let data: URL
    private let port: UInt16
    // Invariant: used by the test alone.
    private var process: Process?

    /// `settings`: lines of `plumb.yaml`. `data`: nil for a new folder.
    init(settings: [String] = [], data: URL? = nil) throws {
      self.data = data ?? place.url.appendingPathComponent("data")
      port = try Self.freePort()
      key = try Self.addApp(self.data)
      let settings = settings + ["requests-per-second: 50000"].filter { _ in settings.isEmpty }
      try Data(settings.joined(separator: "\n").utf8).write(to: place.url.appendingPathComponent("plumb.yaml"))
    }

    deinit { kill() }

    var address: URL {
      get throws {
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw Failure(text: "no address") }
        return url
      }
    }

    /// Starts it, and waits until it takes payloads.
    func start() async throws {
      let process = Process()
      process.executableURL = Self.program
      process.arguments = [
        "serve", "--open", "--listen", "127.0.0.1:\(port)", "--data", data.path, "--config",
        place.url.appendingPathComponent("plumb.yaml").path,
      ]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      self.process = process
      for _ in 0..<500 {
        if (try? await get("readyz")) != nil { return }
        try await Task.sleep(nanoseconds: 20_000_000)
      }
      throw Failure(text: "the server did not start")
    }

    /// Ends it as a power cut would.
    func kill() {
      guard let process, process.isRunning else { return }
      Foundation.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      self.process = nil
    }

    /// A number of the API: the members of `path` one after the other.
    func number(_ address: String, _ path: String...) async throws -> Double {
      var value = try JSONSerialization.jsonObject(with: await get("api/v1/apps/com.example.client/" + address))
      for member in path {
        guard let next = (value as? [String: Any])?[member] else { throw Failure(text: "\(address) has no \(member)") }
        value = next
      }
      guard let number = value as? NSNumber else { throw Failure(text: "\(path) is no number") }
      return number.doubleValue
    }

    /// Waits until a number of the API is what it should be; returns what it was at last.
    func settled(_ wanted: Double, _ address: String, _ path: String...) async throws -> Double {
      var last = -1.0
      for _ in 0..<400 {
        last = (try? await member(address, path)) ?? -1
        if last == wanted { return last }
        try await Task.sleep(nanoseconds: 25_000_000)
      }
      return last
    }

    private func member(_ address: String, _ path: [String]) async throws -> Double {
      var value = try JSONSerialization.jsonObject(with: await get("api/v1/apps/com.example.client/" + address))
      for member in path { value = (value as? [String: Any])?[member] ?? NSNull() }
      guard let number = value as? NSNumber else { throw Failure(text: "\(path) is no number") }
      return number.doubleValue
    }

    private func get(_ path: String) async throws -> Data {
      let (data, response) = try await URLSession.shared.data(from: try address.appendingPathComponent(path))
      guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Failure(text: path) }
      return data
    }

    private static func addApp(_ data: URL) throws -> String {
      let process = Process()
      let output = Pipe()
      process.executableURL = program
      process.arguments = ["app", "add", "com.example.client", "--format", "json", "--data", data.path]
      process.standardOutput = output
      try process.run()
      let bytes = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      guard let key = (try JSONSerialization.jsonObject(with: bytes) as? [String: Any])?["key"] as? String else {
        throw Failure(text: String(decoding: bytes, as: UTF8.self))
      }
      return key
    }

    /// A port that nothing listens on.
    private static func freePort() throws -> UInt16 {
      let (descriptor, port) = try boundSocket()
      close(descriptor)
      return port
    }

    /// A socket of this machine with a port of its own.
    static func boundSocket() throws -> (descriptor: Int32, port: UInt16) {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let bound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
      }
      guard bound else { throw Failure(text: "no port") }
      return (descriptor, UInt16(bigEndian: address.sin_port))
    }
  }
#endif
