public import Cabinet

/// An error as it stands in a response: as a whole, or in the position of an item.
struct CloudKitFailure: Sendable {
    /// The error.
    var error: CabinetError
    /// The code; `nil` for the one that follows from the error.
    var code: CloudKitErrorCode?

    /// The code in the response.
    var serverErrorCode: CloudKitErrorCode { code ?? CloudKitErrorCode(error.code) }

    /// The whole number of seconds after which to try again: at most a day, also if another server answered more.
    var retryAfter: Int? {
        error.retryAfterSeconds.map { $0 > 0 ? Int(min($0, 86_400).rounded(.up)) : 0 }
    }

    /// The words with which the reason of an expired token begins, because no code says it.
    static let expiredToken = "Change token expired"

    /// Writes the members that an error has everywhere.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("serverErrorCode", serverErrorCode.rawValue)
        let isExpired = error.code == .changeTokenExpired
        writer.member("reason", isExpired ? "\(Self.expiredToken): \(error.message)" : error.message)
        if let retryAfter { writer.member("retryAfter", Int64(retryAfter)) }
        // Clients of Cabinet learn the exact code; others pass over a key that they do not know.
        writer.member("cabinetErrorCode", Int64(error.code.rawValue))
    }

    /// Reads an error from an item or a whole response.
    ///
    /// - Returns: `nil` if the object is not an error.
    static func read(_ node: JSONNode, recordID: RecordID? = nil) throws(CabinetError) -> CabinetError? {
        guard let text = try node["serverErrorCode"]?.string() else { return nil }
        let reason = try node["reason"]?.string() ?? text
        var code = CloudKitErrorCode(rawValue: text)?.cabinetCode ?? .internalError
        if reason.hasPrefix(expiredToken) { code = .changeTokenExpired }
        if let number = try node["cabinetErrorCode"]?.int64() { code = .init(rawValue: Int(clamping: number)) }
        return CabinetError(code, reason, recordID: recordID, retryAfterSeconds: try node["retryAfter"]?.double())
    }
}

/// The response to an operation.
public struct CloudKitResponse: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// The JSON.
    public var body: [UInt8]
    /// The seconds after which to try again, for the header `Retry-After`.
    public var retryAfter: Int?

    /// Creates a response.
    init(status: Int = 200, body: [UInt8], retryAfter: Int? = nil) {
        (self.status, self.body, self.retryAfter) = (status, body, retryAfter)
    }

    /// Creates the response of a request that failed as a whole.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - code: The code in the response; `nil` for the one that follows from the error.
    ///   - requestID: The ID of the request, for the server's log.
    ///   - redirectURL: The page on which the user signs in, if the request needs a user.
    public init(
        _ error: CabinetError, code: CloudKitErrorCode? = nil, requestID: String, redirectURL: String? = nil
    ) {
        let failure = CloudKitFailure(error: error, code: code)
        var writer = JSONWriter()
        // The closure does not throw.
        try? writer.object { writer throws(CabinetError) in
            writer.member("uuid", requestID)
            failure.writeMembers(to: &writer)
            if let redirectURL { writer.member("redirectURL", redirectURL) }
        }
        self.init(
            status: failure.serverErrorCode.status, body: writer.bytes, retryAfter: failure.retryAfter)
    }

    /// Creates a response from JSON that a function writes.
    init(status: Int = 200, _ body: (inout JSONWriter) throws(CabinetError) -> Void) throws(CabinetError) {
        var writer = JSONWriter(capacity: 4096)
        try writer.object(body)
        self.init(status: status, body: writer.bytes)
    }
}
