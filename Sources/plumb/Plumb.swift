import ArgumentParser

@main
struct Plumb: ParsableCommand {
  func run() throws {}
}
