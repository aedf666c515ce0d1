import Foundation
import PlumbClient

/// A process for tests: `ClientProbe FOLDER SERVER KEY COMMAND…`. Each command is a word, carried out in order.
func stop(_ text: String) -> Never {
  FileHandle.standardError.write(Data((text + "\n").utf8))
  exit(64)
}

let arguments = CommandLine.arguments
guard arguments.count > 4, let server = URL(string: arguments[2]) else {
  stop("Usage: ClientProbe FOLDER SERVER KEY COMMAND…")
}
var options = PlumbOptions()
options.folder = URL(fileURLWithPath: arguments[1])
options.environment = "production"
// A quick machine fills the usual 500 while it is killed five times, and what gives way then would be missed.
options.limits.files = 20_000
// As a dialog about consent may do.
if arguments.contains("refused before") { Plumb.setConsent(.refused) }
guard Plumb.start(server: server, key: arguments[3], options: options) else { stop("The client did not start.") }

func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

/// Uses the stack up. The array keeps the call from becoming a loop.
func overflow(_ depth: Int) -> Int {
  guard depth >= 0 else { return depth }
  var bytes = [depth, depth + 1]
  bytes[0] += overflow(depth + 1)
  return bytes[0] + bytes[1]
}

for command in arguments.dropFirst(4) {
  switch command {
  case "foreground": Plumb.enterForeground()
  case "background": Plumb.enterBackground()
  case "ends": Plumb.endSession()
  case "error": Plumb.recordError()
  case "refused before": break
  case "refuse": Plumb.setConsent(.refused)
  case "grant": Plumb.setConsent(.granted)
  case "measure": for value in 1...50 { Plumb.measure(Double(value), Metric("probe.value", unit: .milliseconds)) }
  case "flush": Plumb.flush()
  case "hold":
    say("ready")
    while true { sleep(1000) }
  case "churn":
    say("ready")
    while true {
      for value in 1...50 { Plumb.measure(Double(value), Metric("probe.value", unit: .milliseconds)) }
      Plumb.flush()
    }
  case "drain":
    // Everything that waits has been sent, also what was handed over a moment ago.
    Plumb.flush()
    while Plumb.filesWaiting > 0 { usleep(10_000) }
  case "abort": abort()
  case "trap":
    let numbers = arguments.filter { $0.isEmpty }
    say(numbers[arguments.count])
  case "segfault": UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
  case "overflow": say(String(overflow(0)))
  default: stop("Unknown: \(command)")
  }
}
