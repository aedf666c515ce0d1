extension HTTPServer {
  /// Where the server listens and what it allows. The defaults suit the smallest machine.
  public struct Configuration: Sendable {
    /// An IPv4 or IPv6 address, or `localhost`, which is 127.0.0.1.
    public var host: String
    /// 0 lets the system choose; `HTTPServer.port` then tells.
    public var port: Int
    /// Threads that receive, decode and send.
    public var threads = 2
    /// Open connections. When there are more, the idlest of the address that has the most are closed; only where
    /// everybody is owed an answer new ones wait in the system's queue.
    public var connections = 4096
    /// Open connections of one address, of IPv6 of one /64. When there are more, the idlest of its own are closed.
    public var connectionsPerAddress = 1024
    /// Proxies in front of the server, whose connections are many people's: `connectionsPerAddress` is not for them.
    public var trustedProxies = TrustedProxies()
    /// A connection without any traffic is closed after this.
    public var idleTimeout: Duration = .seconds(30)
    /// A request that is not received and answered after this is cut off, however busy its connection is. An answer
    /// that the program owes is replaced by a 503 instead.
    public var requestDeadline: Duration = .seconds(60)
    /// How much of a refused body is read and thrown away before the answer, so that clients that write first get to
    /// read it. Beyond it the answer is sent at once and the connection closed.
    public var refusalReadLimit = 8 << 20
    /// Memory for the bodies of requests that were admitted without an account; one that does not fit is answered 503.
    public var bodiesInFlight = 64 << 20
    /// A body that has arrived for `bodyGrace` and brought fewer bytes a second since is cut off.
    public var slowestBody = 1024
    /// How long a body may come as slowly as it likes.
    public var bodyGrace: Duration = .seconds(10)
    /// Bodies that may be spooled at once; a further one is answered 503.
    public var spools = 2
    /// A spooled body that brings less than this many bytes within `requestDeadline` is cut off.
    public var slowestSpool = 1 << 20
    /// How long `stop` waits for answers to be sent.
    public var stopGrace: Duration = .seconds(5)

    /// The defaults at this address.
    public init(host: String = "127.0.0.1", port: Int = 0) {
      self.host = host
      self.port = port
    }
  }
}

extension Duration {
  /// Whole milliseconds, at least 0.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, over) = seconds.multipliedReportingOverflow(by: 1000)
    return over ? .max / 4 : min(.max / 4, max(0, whole + attoseconds / 1_000_000_000_000_000))
  }
}
