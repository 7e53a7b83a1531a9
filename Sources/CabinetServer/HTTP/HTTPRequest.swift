/// A request as it arrived, with a body that is read while it arrives.
public struct HTTPRequest: Sendable {
    /// The method, such as `POST`.
    public var method: Method
    /// The path of the target as it was sent, with its percent escapes.
    ///
    /// Decode each segment once, after the path was split: `%2F` within a segment does not separate two.
    public var path: String
    /// The query of the target as it was sent, without the question mark; `nil` if the target has none.
    public var query: String?
    /// The fields of the head, in order.
    public var headerFields: HTTPFields
    /// The body, which is read while it arrives.
    public var body: HTTPBody
    /// The address of the client as a text, such as `203.0.113.7` or `2001:db8::1`; `nil` on a Unix socket.
    ///
    /// Behind a proxy it is the proxy's.
    public var remoteAddress: String?
    /// Whether the request came over TLS.
    public var isSecure: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, with its percent escapes.
    ///   - query: The query, without the question mark.
    ///   - headerFields: The fields of the head.
    ///   - body: The body.
    ///   - remoteAddress: The address of the client.
    ///   - isSecure: Whether the request came over TLS.
    public init(
        method: Method, path: String, query: String? = nil, headerFields: HTTPFields = HTTPFields(),
        body: HTTPBody = .empty, remoteAddress: String? = nil, isSecure: Bool = false
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headerFields = headerFields
        self.body = body
        self.remoteAddress = remoteAddress
        self.isSecure = isSecure
    }

    /// Creates a request from a target, which is split at its first question mark and not decoded.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The path and query as they were sent.
    ///   - headerFields: The fields of the head.
    ///   - body: The body.
    ///   - remoteAddress: The address of the client.
    ///   - isSecure: Whether the request came over TLS.
    public init(
        method: Method, target: String, headerFields: HTTPFields = HTTPFields(), body: HTTPBody = .empty,
        remoteAddress: String? = nil, isSecure: Bool = false
    ) {
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        self.init(
            method: method, path: mark.map { String(target[..<$0]) } ?? target,
            query: mark.map { String(target[target.utf8.index(after: $0)...]) }, headerFields: headerFields,
            body: body, remoteAddress: remoteAddress, isSecure: isSecure)
    }
}

extension HTTPRequest {
    /// The same request; reading its body fails with the status 415 if that is compressed, or coded in another way.
    ///
    /// Its bytes would be taken for JSON, or stored as those of an asset.
    package var refusingCodedBody: HTTPRequest {
        let coding = headerFields[.contentEncoding] ?? ""
        if coding.isEmpty || coding.lowercased() == "identity" || body.length == 0 { return self }
        var request = self
        let error = HTTPError(
            .unsupportedMediaType,
            "The server reads no body with 'Content-Encoding: \(coding.prefix(40))'. Send it without a coding.")
        request.body = HTTPBody(next: { throw error })
        return request
    }
}

extension HTTPRequest {
    /// The method of a request, in which uppercase and lowercase letters differ.
    public struct Method: Sendable, Hashable, CustomStringConvertible {
        /// The method as it was sent.
        public let rawValue: String

        /// Creates a method.
        ///
        /// - Parameter rawValue: The method. Anything but a token of RFC 9110 gives `nil`.
        public init?(_ rawValue: String) {
            guard HTTPField.Name(rawValue) != nil else { return nil }
            self.rawValue = rawValue
        }

        private init(known: StaticString) {
            rawValue = "\(known)"
        }

        /// The method as it was sent.
        public var description: String { rawValue }

        /// `GET`.
        public static let get = Self(known: "GET")
        /// `HEAD`, whose response is that of `GET` without the body.
        public static let head = Self(known: "HEAD")
        /// `POST`.
        public static let post = Self(known: "POST")
        /// `PUT`.
        public static let put = Self(known: "PUT")
        /// `PATCH`.
        public static let patch = Self(known: "PATCH")
        /// `DELETE`.
        public static let delete = Self(known: "DELETE")
        /// `OPTIONS`.
        public static let options = Self(known: "OPTIONS")
    }
}
