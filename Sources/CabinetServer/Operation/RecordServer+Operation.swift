import Foundation

/// The paths for the server's operators.
extension RecordServer {
    /// Answers `/health`.
    func health(_ request: HTTPRequest) -> HTTPResponse {
        guard request.method == .get || request.method == .head else { return Self.onlyGet }
        return streams.isEnding
            ? HTTPResponse(.serviceUnavailable, body: HTTPBody("ending\n")) : HTTPResponse(body: HTTPBody("ok\n"))
    }

    /// Answers `/metrics`, for clients on the same machine.
    ///
    /// A request that a proxy has passed on comes from elsewhere.
    func metrics(_ request: HTTPRequest) -> HTTPResponse {
        guard request.method == .get else { return Self.onlyGet }
        let isLocal = request.remoteAddress.map { $0 == "::1" || $0.hasPrefix("127.") } ?? true
        guard isLocal, ClientAddress.forwarded(request) == nil else {
            return HTTPResponse(reporting: HTTPError(.forbidden, "Only clients on the same machine read the metrics."))
        }
        let text = metrics.text(streams: streams.count) + (configuration.furtherMetrics?() ?? "")
        var response = HTTPResponse(body: HTTPBody(text))
        response.headerFields.append(checked: .contentType, value: "text/plain; version=0.0.4")
        return response
    }

    private static var onlyGet: HTTPResponse {
        HTTPResponse(reporting: HTTPError.methodNotAllowed(.get))
    }
}
