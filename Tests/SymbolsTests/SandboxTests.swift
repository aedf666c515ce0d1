import Foundation
import Testing
import TestSupport

@testable import Symbols

/// What a child that was taken over can still do. The child is a shell that tries what it is asked to.
@Suite("The sandbox of child processes", .enabled(if: Probe.exists, "there is no /bin/bash to probe with"))
struct SandboxTests {
  private static let hasLandlock = LandlockRequirement.landlockVersion > 0
  private static let missing = "this kernel has no Landlock (5.13 or later, and landlock in lsm=)"

  @Test("a child process can open no files of the system or server", .enabled(if: hasLandlock, "\(missing)"))
  func files() throws {
    let scene = try Scene()
    try Data("secret".utf8).write(to: URL(filePath: scene.root + "/secret"))
    let probe = try Probe()
    for path in [
      "/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/1/cmdline", "/", "/tmp", scene.root + "/secret",
    ] {
      #expect(try probe.answer("read \(path)") == "refused", "\(path)")
    }
    #expect(try probe.answer("read /bin/bash") == "done", "the program itself is among what it may read")
    #expect(try probe.answer("write \(scene.root)/new") == "refused")
    #expect(!FileManager.default.fileExists(atPath: scene.root + "/new"))
  }

  @Test(
    "a child process starts no process, opens no socket and sends no signal", arguments: [true, false])
  func calls(withLandlock: Bool) throws {
    var limits = ChildLimits()
    if !withLandlock { limits.landlockVersion = 0 }
    let sink = Sink { _, _ in .close }
    #expect(try Probe(limits).answer("read /etc/passwd") == (withLandlock && Self.hasLandlock ? "refused" : "done"))
    #expect(try Probe(limits).answer("connect \(sink.port)") == "refused")
    #expect(try Probe(limits).answer("kill \(getpid())") == "refused", "signal 0 reaches whoever may be signalled")
    #expect(throws: LineProcess.Failure.ended) { try Probe(limits).answer("fork") }
    #expect(try Probe(limits).answer("write /tmp/plumb-probe-\(UUID().uuidString)") == "refused" || !withLandlock)
  }

  @Test("without the sandbox the same shell can do all of it, so that the other tests can fail")
  func control() throws {
    let sink = Sink { _, _ in .close }
    let answers = try Program.text(
      Probe.command[0], Array(Probe.command.dropFirst()),
      input: "read /etc/passwd\nconnect \(sink.port)\nkill \(getpid())\nfork\n")
    #expect(answers == "done\ndone\ndone\ndone\n")
  }

  @Test("a kernel without Landlock is named, and no child process runs if Landlock is required")
  func policy() throws {
    let prefer = try #require(LandlockRequirement.prefer.warning(landlockVersion: 0))
    let require = try #require(LandlockRequirement.require.warning(landlockVersion: 0))
    #expect(prefer.contains("no Landlock") && prefer.contains("symbols-sandbox: require"))
    #expect(require.contains("no Landlock") && require.contains("not symbolicated"))
    for policy in LandlockRequirement.allCases { #expect(policy.warning(landlockVersion: 1) == nil) }
    var limits = ChildLimits()
    limits.landlockVersion = 0
    limits.sandbox = .require
    #expect(throws: LineProcess.Failure.unconfined) { try Probe(limits) }
    let name = "$e4Shop7appMainyS2iFS2iXEfU_"
    let command = [Program.plumb, "demangle-names"]
    #expect(DemanglerProcess(command: command, limits).shown([name]) == [name: name])
    limits.sandbox = .prefer
    #expect(DemanglerProcess(command: command, limits).shown([name]) == [name: "closure #1 in appMain(_:)"])
  }

  @Test("a symbolizer that must be confined but cannot be reports that once, and returns no names")
  func required() throws {
    let scene = try Scene()
    _ = try scene.add("Till")
    var limits = ChildLimits()
    limits.landlockVersion = 0
    limits.sandbox = .require
    let symbolizer = scene.symbolizer(program: "/bin/true", limits: limits)
    for _ in 0..<3 { #expect(symbolizer.symbols(uuid: Scene.till, offsets: [0x4000]).isEmpty) }
    #expect(scene.reports.count == 1 && scene.reports.first?.contains("no Landlock") == true, "\(scene.reports)")
  }

  @Test("a program may read files and folders of libraries, but not its own folder")
  func readable() {
    let readable = SymbolizerProgram.readable("/home/ana/llvm-symbolizer")
    #expect(readable.contains("/home/ana/llvm-symbolizer") && readable.contains("/usr/lib"))
    for folder in ["/", "/home", "/home/ana", "/usr", "/etc", "/usr/local", "/var"] {
      #expect(!readable.contains(folder), "\(folder)")
    }
  }
}

/// A shell as a child.
private struct Probe {
  private static let shell = "/bin/bash"
  static let exists = FileManager.default.isExecutableFile(atPath: shell)

  /// Answers each line `VERB ARGUMENT` with `done` or `refused`.
  static let command = [
    shell, "--norc", "--noprofile", "-c",
    """
    exec 2>&-
    while read -r verb argument; do
      answer=refused
      case $verb in
        read) if [ -d "$argument" ]; then names=("$argument"/*); [ -e "${names[0]}" ] && answer=done
              elif { : < "$argument"; }; then answer=done; fi ;;
        write) if { : > "$argument"; }; then answer=done; fi ;;
        connect) if { : <> /dev/tcp/127.0.0.1/"$argument"; }; then answer=done; fi ;;
        kill) if kill -0 "$argument"; then answer=done; fi ;;
        fork) if ( : ); then answer=done; else exit 1; fi ;;
      esac
      echo "$answer"
    done
    """,
  ]

  private let child: LineProcess

  init(_ limits: ChildLimits = ChildLimits()) throws {
    child = try LineProcess(
      command: Self.command, folder: "/", readable: SymbolizerProgram.readable(Self.shell), limits: limits)
  }

  func answer(_ question: String) throws -> String {
    var text = ""
    try child.ask([question]) { _, line in text = String(decoding: line, as: UTF8.self) }
    return text
  }
}
