extension HTTPResponse {
    /// The status of a response, from 200 to 599.
    public struct Status: Sendable, Hashable, CustomStringConvertible {
        /// The three digits.
        public let code: Int

        /// Creates a status.
        ///
        /// - Parameter code: The three digits. Anything but 200 to 599 gives `nil`: other statuses do not end a request.
        public init?(code: Int) {
            guard (200...599).contains(code) else { return nil }
            self.code = code
        }

        private init(known: Int) {
            code = known
        }

        /// The three digits as a text.
        public var description: String { "\(code)" }

        /// 200, the answer is the body.
        public static let ok = Self(known: 200)
        /// 201, something was created.
        public static let created = Self(known: 201)
        /// 204, the response has no body.
        public static let noContent = Self(known: 204)
        /// 206, the body is the part that was asked for.
        public static let partialContent = Self(known: 206)
        /// 302, the answer is elsewhere for now.
        public static let found = Self(known: 302)
        /// 303, the answer is read with `GET` elsewhere.
        public static let seeOther = Self(known: 303)
        /// 304, the client has the current version.
        public static let notModified = Self(known: 304)
        /// 400, the request is malformed.
        public static let badRequest = Self(known: 400)
        /// 401, the request has no valid credentials.
        public static let unauthorized = Self(known: 401)
        /// 403, the user may not do this.
        public static let forbidden = Self(known: 403)
        /// 404, nothing has this path.
        public static let notFound = Self(known: 404)
        /// 405, the path has other methods.
        public static let methodNotAllowed = Self(known: 405)
        /// 408, the request took too long to arrive.
        public static let requestTimeout = Self(known: 408)
        /// 409, the request contradicts the current state.
        public static let conflict = Self(known: 409)
        /// 410, nothing has this path any more.
        public static let gone = Self(known: 410)
        /// 412, a condition of the request does not hold.
        public static let preconditionFailed = Self(known: 412)
        /// 413, the body is too long.
        public static let contentTooLarge = Self(known: 413)
        /// 415, the type or the coding of the body is unknown.
        public static let unsupportedMediaType = Self(known: 415)
        /// 416, the file has no such part.
        public static let rangeNotSatisfiable = Self(known: 416)
        /// 421, the request belongs to another server, or needs a user.
        public static let misdirectedRequest = Self(known: 421)
        /// 429, the client sends too many requests.
        public static let tooManyRequests = Self(known: 429)
        /// 431, the head is too long.
        public static let requestHeaderFieldsTooLarge = Self(known: 431)
        /// 500, the server failed.
        public static let internalServerError = Self(known: 500)
        /// 501, the server does not know what the request asks for.
        public static let notImplemented = Self(known: 501)
        /// 503, the server cannot answer now.
        public static let serviceUnavailable = Self(known: 503)
    }
}
