internal import CCurl
internal import Glibc

/// Uploads one file by HTTP `PUT`, reading it from disk while sending. Use it on one thread, on which libcurl's
/// callbacks also run.
public final class FileUpload {
  /// The server's response to an upload.
  public struct Answer: Sendable, Equatable {
    /// The HTTP status code of the response.
    public var status: Int
    /// The first MiB of the HTTP response's body.
    public var body: [UInt8]
  }

  /// The reason why no HTTP response arrived, such as a failed connection.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private let descriptor: Int32
  private let size: Int
  private let progress: (Int) -> Void
  private var sent = 0
  private var body: [UInt8] = []

  /// Sends the file at `path` to `address` with the bearer token `token`, and waits for the response. `caFile`: a PEM
  /// file of CA certificates to trust instead of the system's. `coding`: the file's `Content-Encoding`, if it has one.
  /// `progress` receives the number of bytes sent so far. Fails if nothing is transferred for two minutes.
  public static func put(
    _ path: String, to address: String, token: String, caFile: String?, coding: String? = nil,
    progress: @escaping (Int) -> Void
  ) throws(Failure) -> Answer {
    guard let upload = FileUpload(path, progress) else { throw Failure(description: "the file cannot be read") }
    return try upload.run(address, token, caFile, coding)
  }

  private init?(_ path: String, _ progress: @escaping (Int) -> Void) {
    var status = stat()
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
    size = Int(status.st_size)
    self.progress = progress
  }

  deinit { close(descriptor) }

  private func run(_ address: String, _ token: String, _ caFile: String?, _ coding: String?) throws(Failure) -> Answer {
    guard let handle = curl_easy_init() else { throw Failure(description: "not enough memory for libcurl") }
    defer { curl_easy_cleanup(handle) }
    let context = Unmanaged.passUnretained(self).toOpaque()
    var headers = curl_slist_append(nil, "Authorization: Bearer \(token)")
    headers = curl_slist_append(headers, "Content-Type: application/octet-stream")
    if let coding { headers = curl_slist_append(headers, "Content-Encoding: \(coding)") }
    defer { curl_slist_free_all(headers) }
    _ = plumb_curl_set_text(handle, CURLOPT_URL, address)
    if let caFile { _ = plumb_curl_set_text(handle, CURLOPT_CAINFO, caFile) }
    _ = plumb_curl_set_text(handle, CURLOPT_USERAGENT, "plumb symbols upload")
    _ = plumb_curl_set_number(handle, CURLOPT_UPLOAD, 1)
    _ = plumb_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(size))
    _ = plumb_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT, 20)
    _ = plumb_curl_set_number(handle, CURLOPT_LOW_SPEED_LIMIT, 1)
    _ = plumb_curl_set_number(handle, CURLOPT_LOW_SPEED_TIME, 120)
    _ = plumb_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
    if let headers { _ = plumb_curl_set_list(handle, CURLOPT_HTTPHEADER, headers) }
    _ = plumb_curl_set_data(handle, CURLOPT_READFUNCTION, giveBytes)
    _ = plumb_curl_set_pointer(handle, CURLOPT_READDATA, context)
    _ = plumb_curl_set_data(handle, CURLOPT_WRITEFUNCTION, takeBytes)
    _ = plumb_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
    let code = curl_easy_perform(handle)
    let status = plumb_curl_status(handle)
    // A server that rejects the upload by its headers may close the connection before it has read the body.
    guard code == CURLE_OK || (status >= 400 && !body.isEmpty) else {
      throw Failure(description: String(cString: curl_easy_strerror(code)))
    }
    return Answer(status: status, body: body)
  }

  fileprivate func give(_ room: UnsafeMutableRawBufferPointer) -> Int {
    let count = read(descriptor, room.baseAddress, room.count)
    guard count >= 0 else { return Int(CURL_READFUNC_ABORT) }
    sent += count
    progress(sent)
    return count
  }

  fileprivate func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    body += bytes.prefix((1 << 20) - body.count)
    return bytes.count
  }
}

private func upload(_ context: UnsafeMutableRawPointer?) -> FileUpload? {
  context.map { Unmanaged<FileUpload>.fromOpaque($0).takeUnretainedValue() }
}

private func giveBytes(
  _ room: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  upload(context)?.give(UnsafeMutableRawBufferPointer(start: room, count: size * count)) ?? 0
}

private func takeBytes(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  upload(context)?.take(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
}
