import Testing

@testable import Core

struct ReleaseTests {
  private static let titles: [(Release, String)] = [
    (Release(version: "4.2.0", build: "1234"), "4.2.0 (1234)"), (Release(version: "4.2.0"), "4.2.0"),
    (Release(version: ""), "(unknown)"), (Release(version: "", build: "7"), "(unknown) (7)"),
    (.mixed, "(mixed)"), (Release(version: "(other)"), "(other)"), (Release(version: "4.2 beta (2)x"), "4.2 beta (2)x"),
    (Release(version: "4.2 (beta)", build: "9"), "4.2 (beta) (9)"),
  ]

  @Test("a title names a release and is read back as the same")
  func titles() {
    for (release, title) in Self.titles {
      #expect(release.title == title)
      #expect(Release(title: title) == release)
    }
  }

  @Test("texts that only look like titles are versions")
  func versions() {
    for text in ["", "(", ")", "()", "4.2(1)", "(1234)", " (1)x"] {
      #expect(Release(title: text) == Release(version: text), "\(text)")
    }
    #expect(Release(title: " (1)") == Release(version: "", build: "1"))
  }

  @Test("a version means all its builds, and a title means one")
  func calls() {
    let release = Release(version: "4.2.0", build: "1234")
    #expect(release.isCalled("4.2.0") && release.isCalled("4.2.0 (1234)"))
    #expect(!release.isCalled("4.2.0 (12)") && !release.isCalled("4.2") && !release.isCalled("(unknown)"))
    #expect(Release(version: "", build: "7").isCalled("(unknown)") && !Release(version: "", build: "7").isCalled(""))
    #expect(Self.titles.map(\.0.isNamed) == [true, true, false, false, false, false, true, true])
  }
}
