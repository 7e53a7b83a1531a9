#if canImport(FoundationNetworking)
import CCurl
import Foundation
import FoundationNetworking

/// A request that has a connection, or will have one at once.
final class CurlTransfer {
    let request: CurlRequest
    /// The handle, which refers to the transfer without retaining it: a session keeps both until it has taken the handle off its connections.
    let easy: UnsafeMutableRawPointer
    /// The sentence in which libcurl says what has failed.
    private let message: UnsafeMutablePointer<CChar>
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var body: CurlBody?
    /// Whether bytes of the body were given to libcurl.
    private var hasSent = false
    private var head: CurlHead? = CurlHead()
    /// The error of a function that takes the response.
    private var failure: (any Error)?
    private var progress: curl_off_t = 0
    private var lastProgress = ContinuousClock.now

    init(_ request: CurlRequest) throws {
        guard let easy = curl_easy_init() else { throw URLError(.unknown) }
        (self.request, self.easy) = (request, easy)
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        body = try CurlBody(request)
        for (name, value) in request.request.allHTTPHeaderFields ?? [:] { add(name, value) }
        // Without them, libcurl waits for permission to send a large body, and calls it a form.
        add("Expect", nil)
        if request.request.value(forHTTPHeaderField: "Content-Type") == nil { add("Content-Type", nil) }
        configure()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
        message.deallocate()
    }

    /// Returns the transfer of a handle.
    static func of(_ easy: UnsafeMutableRawPointer?) -> CurlTransfer? {
        easy.flatMap { of(context: cabinet_curl_private($0)) }
    }

    private static func of(context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Adds a field of the head; without a value, takes away one of libcurl's.
    private func add(_ name: String, _ value: String?) {
        fields = curl_slist_append(fields, value.map { $0.isEmpty ? "\(name);" : "\(name): \($0)" } ?? "\(name):")
    }

    private func configure() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        cabinet_curl_set_pointer(easy, CURLOPT_PRIVATE, context)
        cabinet_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, message)
        cabinet_curl_set_pointer(easy, CURLOPT_URL, request.request.url?.absoluteString ?? "")
        cabinet_curl_permit_http(easy)
        cabinet_curl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        cabinet_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        // The head of a proxy that opens a tunnel is not the response.
        cabinet_curl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        cabinet_curl_set_pointer(easy, CURLOPT_HTTPHEADER, fields)
        cabinet_curl_set_pointer(easy, CURLOPT_ACCEPT_ENCODING, "")
        // libcurl sends a request a second time if the server has ended a connection that was used before.
        if !request.isRepeatable { cabinet_curl_set_long(easy, CURLOPT_FRESH_CONNECT, 1) }
        if let path = ProcessInfo.processInfo.environment["SSL_CERT_FILE"], !path.isEmpty {
            cabinet_curl_set_pointer(easy, CURLOPT_CAINFO, path)
        }
        let method = request.request.httpMethod ?? "GET"
        if body != nil || method == "POST" {
            cabinet_curl_set_long(easy, CURLOPT_POST, 1)
            cabinet_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body?.size ?? 0))
        }
        if method != "GET" || body != nil { cabinet_curl_set_pointer(easy, CURLOPT_CUSTOMREQUEST, method) }
        setFunctions(context)
    }

    private func setFunctions(_ context: UnsafeMutableRawPointer) {
        for option in [CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA] {
            cabinet_curl_set_pointer(easy, option, context)
        }
        cabinet_curl_set_transfer(easy, CURLOPT_HEADERFUNCTION) { bytes, _, count, context in
            CurlTransfer.of(context: context)?.takeHead(bytes, count) == true ? count : 0
        }
        cabinet_curl_set_transfer(easy, CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
            CurlTransfer.of(context: context)?.takeBody(bytes, count) == true ? count : 0
        }
        cabinet_curl_set_transfer(easy, CURLOPT_READFUNCTION) { bytes, size, count, context in
            guard let bytes, let transfer = CurlTransfer.of(context: context) else { return Int(CURL_READFUNC_ABORT) }
            return transfer.giveBody(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        }
        cabinet_curl_set_seek(easy) { context, offset, origin in
            guard origin == SEEK_SET, let transfer = CurlTransfer.of(context: context) else {
                return CURL_SEEKFUNC_FAIL
            }
            transfer.body?.offset = Int64(offset)
            return CURL_SEEKFUNC_OK
        }
    }

    /// Takes a line of the head; returns whether the transfer goes on.
    private func takeHead(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Bool {
        // Fields can also follow the body.
        guard head != nil else { return true }
        return attempt {
            try head?.append(UnsafeRawBufferPointer(start: bytes, count: count))
            guard head?.isComplete == true, let lines = head?.lines else { return }
            let status = cabinet_curl_status(easy)
            if 100..<200 ~= status {
                head = CurlHead()
            } else {
                head = nil
                try request.head(ResponseHead(status: status, fields: lines))
            }
        }
    }

    private func takeBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Bool {
        attempt { try request.body(Data(UnsafeRawBufferPointer(start: bytes, count: count))) }
    }

    private func giveBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = Int(CURL_READFUNC_ABORT)
        _ = attempt {
            // The request may have waited for a connection, or libcurl may send it again after the computer slept.
            if body?.offset == 0, let end = request.lastStart, .now >= end {
                throw URLError(hasSent ? .timedOut : .cannotConnectToHost)
            }
            hasSent = true
            count = try body?.read(into: buffer) ?? 0
        }
        return count
    }

    private func attempt(_ action: () throws -> Void) -> Bool {
        do {
            try action()
            return true
        } catch {
            failure = error
            return false
        }
    }

    /// Whether something of the request may have been sent.
    var isConnected: Bool { cabinet_curl_size(easy, CURLINFO_PRETRANSFER_TIME_T) > 0 }

    /// Returns the time since a byte of a body was sent or received, as far as earlier calls have seen.
    ///
    /// The bytes of a head do not count, so that no head lasts forever.
    func idleTime(at now: ContinuousClock.Instant) -> Duration {
        let kinds = [CURLINFO_SIZE_UPLOAD_T, CURLINFO_SIZE_DOWNLOAD_T]
        let size = kinds.reduce(curl_off_t(0)) { $0 + cabinet_curl_size(easy, $1) }
        if size != progress { (progress, lastProgress) = (size, now) }
        return lastProgress.duration(to: now)
    }

    /// Returns the error that a result stands for; `nil` for a response that was read to its end.
    func error(of result: CURLcode) -> (any Error)? {
        if let failure { return failure }
        let code: URLError.Code
        switch result {
        // libcurl takes a head that breaks off for a response without a body.
        case CURLE_OK: return head == nil ? nil : URLError(.networkConnectionLost)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: code = .cannotFindHost
        case CURLE_COULDNT_CONNECT: code = .cannotConnectToHost
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE: code = .serverCertificateUntrusted
        case CURLE_OPERATION_TIMEDOUT: code = isConnected ? .timedOut : .cannotConnectToHost
        default: code = isConnected ? .networkConnectionLost : .cannotConnectToHost
        }
        let sentence = String(cString: message.pointee == 0 ? curl_easy_strerror(result) : UnsafePointer(message))
        return URLError(code, userInfo: [NSLocalizedDescriptionKey: sentence])
    }
}
#endif
