internal import JSON

extension ReportDocumentReader {
  /// There are not as many names for them: more repeat one another.
  static let mostMembers = 64

  /// Reads the members of an envelope that may hold documents. Beside one that does, others may hold something else.
  mutating func read(members: [JSONValue], _ facts: EnvelopeFacts, depth: Int) throws {
    if members.count == 1 { return try read(members[0], facts, depth: depth) }
    guard members.count <= Self.mostMembers else {
      throw members[Self.mostMembers].failure("an envelope may hold \(Self.mostMembers) members with documents")
    }
    var first: DecodingFailure?
    var hasDocument = false
    for member in members {
      let before = reports.count
      do throws(DecodingFailure) {
        try failing(at: member) { reader throws in try reader.read(member, facts, depth: depth) }
        hasDocument = true
      } catch {
        guard error.saysNoDocument(at: member), reports.count == before else { throw error }
        first = first ?? error
      }
    }
    if !hasDocument, let first { throw first }
  }

  private mutating func failing(at member: JSONValue, _ body: (inout Self) throws -> Void) throws(DecodingFailure) {
    do {
      try body(&self)
    } catch let failure as DecodingFailure {
      throw failure
    } catch let error as JSONError {
      throw DecodingFailure(error.located(in: member))
    } catch {
      throw DecodingFailure(.syntax, "the body could not be read: \(error)")
    }
  }
}

extension DecodingFailure {
  /// Whether `member` is no document at all, rather than one with a fault in it.
  fileprivate func saysNoDocument(at member: JSONValue) -> Bool {
    switch reason {
    case .unsupported, .empty: return true
    case .syntax: return (member.textOrNil)?.looksLikeJSON == false
    case .type: return path == member.path || path == member.path + "[0]"
    case .value: return false
    }
  }
}

extension JSONText {
  /// Whether it begins as an object or an array does.
  fileprivate var looksLikeJSON: Bool {
    let first = bytes.first { $0 > 0x20 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}
