#if canImport(SwiftUI)
  public import SwiftUI

  /// A view whose body is measured: `swiftui.body`, `swiftui.body_evaluations` and `swiftui.view_creation`, by `name`.
  ///
  ///     var body: some View {
  ///       MeasuredView("Cart") { VStack { … } }
  ///     }
  @MainActor
  public struct MeasuredView<Content: View>: View {
    private let content: () -> Content
    @State private var appearance: ViewAppearance

    /// `content` is evaluated as a part of this view.
    public init(_ name: String, @ViewBuilder content: @escaping () -> Content) {
      self.content = content
      _appearance = State(
        initialValue: ViewAppearance(name, buffer: Plumb.client?.buffer, clock: .system))
    }

    /// The content, measured.
    public var body: some View {
      appearance.evaluate(content)
        .onAppear {
          appearance.appear()
          let appearance = appearance
          DispatchQueue.main.asyncAfter(deadline: .now() + ViewAppearance.settling) { appearance.settle() }
        }
        .onDisappear { appearance.disappear() }
    }
  }

  /// A list or stack whose rows are counted when they are created: `list.rows_created`, by `name`. Wrap each row in
  /// `row { … }`:
  ///
  ///     MeasuredRows("Feed") { rows in
  ///       ForEach(items) { item in rows.row { ItemRow(item) } }
  ///     }
  @MainActor
  public struct MeasuredRows<Content: View>: View {
    private let content: (RowMeter) -> Content
    @State private var meter: RowMeter

    /// `content` receives the meter of its rows.
    public init(_ name: String, @ViewBuilder content: @escaping (RowMeter) -> Content) {
      self.content = content
      _meter = State(initialValue: RowMeter(RowCounter(name, buffer: Plumb.client?.buffer, clock: .system)))
    }

    /// The content, measured.
    public var body: some View {
      content(meter)
        .onAppear {
          let counter = meter.counter
          DispatchQueue.main.asyncAfter(deadline: .now() + ViewAppearance.settling) { counter.settle() }
        }
        .onDisappear { meter.counter.disappear() }
    }
  }

  /// Counts the rows of one list.
  public struct RowMeter {
    let counter: RowCounter

    init(_ counter: RowCounter) { self.counter = counter }

    /// A row that is counted when it is created.
    @MainActor
    public func row<Row: View>(@ViewBuilder _ content: @escaping () -> Row) -> some View {
      CountedRow(counter: counter, content: content)
    }
  }

  @MainActor
  private struct CountedRow<Row: View>: View {
    let counter: RowCounter
    let content: () -> Row
    /// Lives as long as the row. The first evaluation is the row's creation.
    @State private var created = Once()

    final class Once {
      var isDone = false
    }

    var body: some View {
      if !created.isDone {
        created.isDone = true
        counter.created()
      }
      return content()
    }
  }

  extension View {
    /// Measures a visible screen: `memory.screen`, `network.screen_bytes`, and `screen.load` when `isLoaded` first
    /// becomes true.
    @MainActor
    public func measuredScreen(_ name: String, isLoaded: Bool = true) -> some View {
      modifier(ScreenModifier(name: name, isLoaded: isLoaded))
    }
  }

  @MainActor
  private struct ScreenModifier: ViewModifier {
    let name: String
    let isLoaded: Bool
    @State private var visits: Visits

    /// The first visit begins when the view is created, so that its load time starts there. Later visits begin when the
    /// view appears again.
    final class Visits {
      private var current: ScreenVisit?
      private var hasBegun = false

      func beginFirst(_ name: String) {
        if !hasBegun { begin(name) }
      }

      func begin(_ name: String) {
        hasBegun = true
        if current == nil { current = Plumb.startScreen(name) }
      }

      func end() {
        current?.end()
        current = nil
      }

      /// Runs after the frame that shows the screen.
      func markLoaded() {
        let visit = current
        DispatchQueue.main.async { visit?.markLoaded() }
      }
    }

    init(name: String, isLoaded: Bool) {
      self.name = name
      self.isLoaded = isLoaded
      _visits = State(initialValue: Visits())
    }

    func body(content: Content) -> some View {
      visits.beginFirst(name)
      if isLoaded { visits.markLoaded() }
      return
        content
        .onAppear {
          visits.begin(name)
          if isLoaded { visits.markLoaded() }
        }
        .onDisappear { visits.end() }
    }
  }
#endif
