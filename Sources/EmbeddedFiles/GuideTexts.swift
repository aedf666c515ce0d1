/// The guides of `docs/guides`: documentation and dashboard read the same texts.
public enum GuideTexts {
  /// Each guide in markdown by the name of its family, in the order people read them.
  public static let all = EmbeddedFile.all(in: "docs/guides").map { file in
    (family: String(file.name.dropLast(".md".count)), markdown: file.text)
  }
}
