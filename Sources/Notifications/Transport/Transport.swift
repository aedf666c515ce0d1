/// Sends requests and waits for the answers. It blocks.
protocol Transport: Sendable {
  func send(_ request: WebRequest, _ options: TransferOptions) -> TransferResult
  func send(_ request: MailRequest, _ options: TransferOptions) -> TransferResult
}
