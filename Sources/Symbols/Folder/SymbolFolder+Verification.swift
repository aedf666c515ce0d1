extension SymbolFolder {
  /// Reads the headers of all stored symbols. Returns their number, and a sentence for each that cannot be used.
  public func unreadable() -> (count: Int, faults: [String]) {
    let uuids = SymbolFolderFiles.names(in: path).filter { $0.utf8.count == 2 }.flatMap { part in
      SymbolFolderFiles.names(in: path + "/" + part).filter { $0.hasSuffix(".macho") }.map { String($0.dropLast(6)) }
    }
    return (uuids.count, uuids.compactMap { uuid in fault(of: uuid).map { "\(uuid): \($0)" } })
  }

  private func fault(of uuid: String) -> String? {
    guard let file = OpenFile(path: path(of: uuid), followsLinks: false) else { return "its file cannot be read" }
    do throws(MachOProblem) {
      let image = try MachOReader.images(in: file).first { $0.uuid == uuid }
      guard image != nil else { return "its file is of another binary" }
    } catch {
      return "its file is damaged: \(error)"
    }
    guard let side = OpenFile(path: files.side(uuid)), side.count < 1 << 20, let bytes = side.bytes(0..<side.count),
      SymbolMetadata.decode(bytes) != nil
    else { return "its name and time cannot be read" }
    return nil
  }
}
