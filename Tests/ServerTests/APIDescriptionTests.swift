import Foundation
import Testing

@testable import Analysis
@testable import Web

@Suite("openapi.json")
struct APIDescriptionTests {
  private typealias Members = [String: Any]

  private func document(mountPath: String = "") throws -> Members {
    let bytes = APIDescription.document(mountPath: mountPath)
    return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? Members)
  }

  /// `Public/openapi.json` is what the server sends. `RECORD=1 make test` writes it anew.
  @Test("the checked-in openapi.json equals the server's")
  func recorded() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../Public/openapi.json")
    let made = Data(APIDescription.document())
    if ProcessInfo.processInfo.environment["RECORD"] == "1" { try made.write(to: file) }
    #expect(
      try Data(contentsOf: file) == made, "Public/openapi.json is not current: RECORD=1 make test writes it")
  }

  @Test("openapi.json names the server by the path at which clients reach it")
  func servers() throws {
    for (mountPath, url) in [("", "/"), ("/tools/plumb", "/tools/plumb")] {
      let servers = try #require(document(mountPath: mountPath)["servers"] as? [Members])
      #expect(servers.map { $0["url"] as? String } == [url])
    }
  }

  @Test("openapi.json has every column of a table as a member of its rows")
  func columns() throws {
    let answers = PageList.endpoints.compactMap(\.tables)
    #expect(answers.count >= 13)
    for answer in answers { try expectColumns(of: answer) }
  }

  private func expectColumns<Answer: TableConvertible>(of answer: Answer.Type) throws {
    for table in [Answer.table] + Array(Answer.tables.values) {
      #expect(table.unknownColumns.isEmpty, "\(answer): \(table.unknownColumns)")
    }
  }

  /// What a JSON pointer without escapes leads to.
  private func resolve(_ reference: String, in document: Members) throws -> Members {
    let names = reference.split(separator: "/").dropFirst()
    return try names.reduce(document) { try #require($0[String($1)] as? Members, "\(reference)") }
  }

  /// The addresses with data of pages: not those that only take decisions, and not requests to delete, which are no page.
  private func pages(of document: Members) throws -> [String: Members] {
    try #require(document["paths"] as? [String: Members]).filter { path, operations in
      operations["get"] != nil && path.hasPrefix("/api/v1/") && path != "/api/v1/deletions/{deletion}"
    }
  }

  @Test("openapi.json lists every path of the API with exactly its parameters")
  func addresses() throws {
    let document = try document()
    let paths = try pages(of: document)
    #expect(paths.count >= 24)
    // Names of placeholders are for people.
    let described = paths.keys.map { $0.replacing(/\{[a-z]+\}/, with: "{}") }.sorted()
    let routes = try TestRoutes.all().filter { $0.methods.contains("GET") && $0.parameters != nil }
    #expect(
      described == routes.map { "/" + $0.address.pattern.description.replacing(/\{[a-z]+\}/, with: "{}") }.sorted())
    for (path, operations) in paths {
      let request = RequestSnapshot(method: "GET", target: path.replacingOccurrences(of: "{number}", with: "1"))
      let route = try #require(
        routes.first { $0.address.arguments(of: request.path, { request.segments }) != nil }, "\(path)")
      let get = try #require(operations["get"] as? Members)
      let references = (get["parameters"] as? [Members] ?? []).compactMap { $0["$ref"] as? String }
      let parameters = try references.map { try resolve($0, in: document) }
      let inQuery = parameters.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String }
      #expect(inQuery == route.parameters, "\(path)")
      let inPath = parameters.filter { $0["in"] as? String == "path" }.compactMap { $0["name"] as? String }
      #expect(inPath == path.matches(of: /\{([a-z]+)\}/).map { String($0.output.1) }, "\(path)")
    }
  }

  @Test("openapi.json lists the paths of the release gate with exactly their parameters")
  func gate() throws {
    let document = try document()
    let paths = try #require(document["paths"] as? [String: Members])
    let described = paths.keys.filter { $0.hasPrefix("/api/v1/gate/") }
    let routes = try TestRoutes.all().filter { $0.methods == ["POST"] && $0.parameters != nil }
    #expect(Set(described) == Set(routes.flatMap(\.address.fixed)))
    for path in described {
      let post = try #require(paths[path]?["post"] as? Members)
      let names = try (post["parameters"] as? [Members] ?? []).map { parameter in
        let whole = try (parameter["$ref"] as? String).map { try resolve($0, in: document) } ?? parameter
        return whole["name"] as? String
      }
      #expect(names == routes.first { $0.address.fixed == [path] }?.parameters, "\(path)")
    }
  }

  @Test("openapi.json has no broken reference and no unused part")
  func references() throws {
    let document = try document()
    let text = String(decoding: APIDescription.document(), as: UTF8.self)
    let used = Set(text.matches(of: /"\$ref": ?"([^"]+)"/).map { String($0.output.1) })
    for reference in used { _ = try resolve(reference, in: document) }
    for kind in ["schemas", "parameters", "responses"] {
      let components = try resolve("#/components/\(kind)", in: document)
      #expect(Set(components.keys.map { "#/components/\(kind)/\($0)" }).subtracting(used).isEmpty, "\(kind)")
    }
  }

  @Test("openapi.json describes every answer with an example, and every error as a problem")
  func answers() throws {
    let document = try document()
    let paths = try pages(of: document)
    for (path, operations) in paths {
      let get = try #require(operations["get"] as? Members)
      let answers = try #require(get["responses"] as? [String: Members])
      #expect(Set(answers.keys).isSuperset(of: ["200", "304", "400", "401", "405", "500", "503"]), "\(path)")
      for (status, answer) in answers where status != "304" {
        let whole = try (answer["$ref"] as? String).map { try resolve($0, in: document) } ?? answer
        let content = try #require(whole["content"] as? [String: Members], "\(path) \(status)")
        #expect(content.values.allSatisfy { $0["schema"] != nil && $0["example"] != nil }, "\(path) \(status)")
        if status != "200" { #expect(Array(content.keys) == ["application/problem+json"], "\(path) \(status)") }
      }
    }
  }
}
