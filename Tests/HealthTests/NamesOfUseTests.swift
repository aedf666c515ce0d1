import Testing

@testable import Analysis
@testable import Core
@testable import Statistics
@testable import Storage

@Suite("Causes of groups whose reports state more than the use")
struct NamesOfUseTests {
  /// 5,000 sessions and 40 reports of every OS version, model and value of a flag; four times the reports on iOS 18.2.
  /// `stated`: the names that sessions state.
  private static func causes(
    devices: Double = 1, flag: Bool = true, attributes: [String]? = nil
  ) -> (list: FoundCauses, names: NamesOfUse) {
    var (events, uses) = ([String: Double](), [String: Double]())
    for system in ["iOS 18.1", "iOS 18.2", "iOS 26.0"] {
      for model in ["iPhone15,2", "iPhone14,5"] {
        for value in ["off", "on"] {
          func text(_ system: String, _ model: String, hasFlag: Bool) -> String {
            CombinedMember(
              os: system, device: model, release: Release(version: "4.2.0", build: "1"),
              attributes: hasFlag ? [AppAttribute(name: "flag", value: value)].compactMap(\.self) : []
            ).text
          }
          events[text(system, model, hasFlag: true), default: 0] += system == "iOS 18.2" ? 160 : 40
          uses[text(system, model, hasFlag: flag), default: 0] += 5_000 * devices
          uses[text(UnknownName.title, UnknownName.title, hasFlag: flag), default: 0] += 5_000 * (1 - devices)
        }
      }
    }
    uses = uses.filter { $0.value > 0 }
    let found = CauseCellCounts.causes(events: events, uses: uses, effect: 1, attributes: attributes)
    return (found, NamesOfUse(uses, attributes: attributes))
  }

  @Test("an attribute that no session has does not hide the OS version")
  func attribute() {
    for (list, names) in [Self.causes(), Self.causes(flag: false), Self.causes(attributes: [])] {
      #expect(list.causes.map(\.title) == ["iOS 18.2"] && names.hasSystems && names.hasDevices)
      #expect(list.causes.allSatisfy { abs(($0.ratio.value ?? 0) - 4) < 0.01 })
    }
  }

  @Test("an attribute that the app no longer has is not named")
  func formerAttribute() {
    var (events, uses) = ([String: Double](), [String: Double]())
    for value in ["off", "on"] {
      let text = CombinedMember(
        os: "iOS 18.1", device: "iPhone15,2", release: Release(version: "4.2.0", build: "1"),
        attributes: [AppAttribute(name: "flag", value: value)].compactMap(\.self)
      ).text
      (events[text], uses[text]) = (value == "on" ? 400 : 100, 10_000)
    }
    func titles(_ attributes: [String]?) -> [String] {
      CauseCellCounts.causes(events: events, uses: uses, effect: 1, attributes: attributes).causes.map(\.title)
    }
    #expect(titles(["flag"]) == ["flag=on"] && titles(nil) == ["flag=on"])
    #expect(titles(["region"]).isEmpty && titles([]).isEmpty)
    var (head, base) = (CauseCellCounts(attributes: ["region"]), CauseCellCounts(attributes: ["region"]))
    for (text, count) in events {
      head.add(text) { _ in EventCount(events: count, use: 10_000) }
      base.add(text) { _ in EventCount(events: 100, use: 10_000) }
    }
    #expect(CauseCellCounts.causes(head: head, base: base).causes.isEmpty)
  }

  @Test("if sessions state no device, as those of Sentry's SDKs, neither devices nor OS versions are named")
  func devices() {
    let (list, names) = Self.causes(devices: 0)
    #expect(list.causes.isEmpty && !names.hasSystems && !names.hasDevices)
    let partly = Self.causes(devices: 0.5)
    #expect(partly.list.causes.isEmpty && !partly.names.hasDevices)
    #expect(Self.causes(devices: 0.9).list.causes.map(\.title) == ["iOS 18.2"])
    let answer = CauseList(
      metric: "crash", window: Window(from: CalendarDay(number: 0), to: CalendarDay(number: 1)), causes: [], tested: 0,
      knowsDevices: false
    ).answer
    #expect(answer == "the sessions do not state device and OS version, so nothing can be said about these")
  }
}
