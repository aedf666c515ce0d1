import Foundation

/// The address of uploads: the app's, or the one to which its server has moved. A move is remembered, so that apps whose
/// code has the old address send each body once.
struct Endpoint {
  /// The moves after which the next one is not followed until a server answers, because redirections may form a loop.
  private static let mostMoves = 5
  private static let longest = 2000

  /// The content of the file.
  private struct Move: Codable {
    /// The app's address at the time of the move. If the app has another one, the move is forgotten.
    var from: URL
    var to: URL
  }

  private(set) var url: URL
  private var moves = 0
  private let original: URL
  private let file: URL

  /// `original`: the address that the app has.
  init(file: URL, original: URL) {
    self.file = file
    self.original = original
    // A missing or damaged file means that the server has not moved.
    let move = (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode(Move.self, from: $0) }
    url = move.flatMap { $0.from == original ? $0.to : nil } ?? original
  }

  /// Follows a permanent redirection. Returns false if the key would be sent to an address that may not have it.
  mutating func move(to new: URL) -> Bool {
    // Uploads that were under way together are redirected together.
    if new == url { return true }
    guard moves < Self.mostMoves, Self.allows(new, after: url) else { return false }
    moves += 1
    url = new
    // If the disk is full, the move holds only for this process.
    if let data = try? JSONEncoder().encode(Move(from: original, to: new)) {
      try? data.write(to: file, options: .atomic)
    }
    return true
  }

  /// Notes that a server answered, which ends a series of redirections.
  mutating func answered() { moves = 0 }

  /// Returns to the app's address, because the other one refuses.
  mutating func forgetMove() {
    guard url != original else { return }
    url = original
    try? FileManager.default.removeItem(at: file)
  }

  /// Another host gets the key only if both addresses use TLS. Otherwise anyone in the network could redirect an app
  /// for good.
  private static func allows(_ new: URL, after old: URL) -> Bool {
    guard let host = new.host, new.user == nil, new.absoluteString.utf8.count <= longest else { return false }
    switch (old.scheme, new.scheme) {
    case ("https", "https"): return true
    case ("http", "https"), ("http", "http"): return host == old.host
    default: return false
    }
  }
}
