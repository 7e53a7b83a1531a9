/// The answer of a handler: a status, the fields of the head, and a body.
///
/// ```swift
/// return try HTTPResponse(
///     contentType: "application/json", body: HTTPBody(json))
/// ```
public struct HTTPResponse: Sendable {
    /// The bytes after the head.
    public enum Content: Sendable {
        /// Bytes in memory, or a stream that is read as fast as the client takes it.
        case body(HTTPBody)
        /// A part of a file, which the listener sends without copying it.
        case file(HTTPFile)
    }

    /// The status.
    public var status: Status
    /// The fields of the head.
    ///
    /// The transport writes `Connection`, `Content-Length`, `Date` and `Transfer-Encoding`, and ignores them here.
    public var headerFields: HTTPFields
    /// The bytes after the head.
    public var content: Content

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headerFields: The fields of the head.
    ///   - body: The body.
    public init(_ status: Status = .ok, headerFields: HTTPFields = HTTPFields(), body: HTTPBody = .empty) {
        self.status = status
        self.headerFields = headerFields
        content = .body(body)
    }

    /// Creates a response with the type of its body.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - contentType: The value of `Content-Type`.
    ///   - body: The body.
    /// - Throws: ``HTTPError`` with the status 500 if the type contains a control character.
    public init(_ status: Status = .ok, contentType: String, body: HTTPBody) throws {
        self.init(status, body: body)
        try headerFields.set(.contentType, to: contentType)
    }

    /// Creates the response for an error that a handler threw.
    ///
    /// - Parameter error: An ``HTTPError``, which has a status and a message. Any other error is a 500 that says nothing about it.
    public init(reporting error: any Error) {
        let error = error as? HTTPError ?? HTTPError(.internalServerError, "The server failed. Its log has the reason.")
        self.init(error.status, body: HTTPBody(error.message + "\n"))
        headerFields.append(HTTPField(name: .contentType, uncheckedValue: "text/plain; charset=utf-8"))
        if !error.allowedMethods.isEmpty {
            let names = error.allowedMethods.map(\.rawValue).joined(separator: ", ")
            headerFields.append(HTTPField(name: .allow, uncheckedValue: names))
        }
    }

    /// The body, of a file too, as a stream of chunks: for a server that sends no files by itself.
    public var body: HTTPBody {
        switch content {
        case .body(let body): body
        case .file(let file): file.body
        }
    }
}

/// Answers a request: the whole of a server but its sockets.
///
/// It throws an ``HTTPError`` to answer with a status and a text, and is cancelled when its client goes away.
public typealias HTTPHandler = @Sendable (HTTPRequest) async throws -> HTTPResponse
