public import Cabinet

/// An error as it stands in a response: as a whole, or in the position of an item.
struct CloudKitFailure: Sendable {
    /// The error.
    var error: CabinetError
    /// The code; `nil` for the one that follows from the error.
    var code: CloudKitErrorCode?

    /// The code in the response.
    var serverErrorCode: CloudKitErrorCode { code ?? CloudKitErrorCode(error.code) }

    /// The words with which the reason of an expired token begins, because no code says it.
    static let expiredToken = "Change token expired"

    /// Writes the members that an error has everywhere.
    func writeMembers(to writer: inout JSONWriter) {
        let error = ServerCoding.current?.mask(error) ?? error
        writer.member("serverErrorCode", serverErrorCode.rawValue)
        let isExpired = error.code == .changeTokenExpired
        writer.member("reason", isExpired ? "\(Self.expiredToken): \(error.message)" : error.message)
        if let retryAfter = error.retryAfter { writer.member("retryAfter", Int64(retryAfter)) }
        // Clients of Cabinet learn the exact code and the field; others pass over keys that they do not know.
        writer.member("cabinetErrorCode", Int64(error.code.rawValue))
        if let key = error.fieldKey { writer.member("cabinetFieldKey", key) }
    }

    /// Reads an error from an item or a whole response.
    ///
    /// - Returns: `nil` if the object is not an error.
    static func read(_ node: JSONNode, recordID: RecordID? = nil) throws(CabinetError) -> CabinetError? {
        guard let text = try node["serverErrorCode"]?.string() else { return nil }
        var reason = try node["reason"]?.string() ?? text
        if let url = try node["redirectURL"]?.string() { reason += " Have the user sign in: \(url)" }
        var code = CloudKitErrorCode(rawValue: text)?.cabinetCode ?? .internalError
        if reason.hasPrefix(expiredToken) { code = .changeTokenExpired }
        if let number = try node["cabinetErrorCode"]?.int64() { code = .init(rawValue: Int(clamping: number)) }
        return CabinetError(
            code, reason, recordID: recordID, fieldKey: try node["cabinetFieldKey"]?.string(),
            retryAfterSeconds: try node["retryAfter"]?.double())
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
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - body: The JSON.
    ///   - retryAfter: The seconds after which to try again.
    public init(status: Int = 200, body: [UInt8], retryAfter: Int? = nil) {
        self.status = status
        self.body = body
        self.retryAfter = retryAfter
    }

    /// The error of a response that failed as a whole; `nil` if the body has none.
    public var failure: CabinetError? {
        guard status >= 400, let root = try? JSONText(body).root.object() else { return nil }
        return (try? CloudKitFailure.read(root)).flatMap { $0 }
    }

    /// Returns the record name of the user that `users/caller` answers.
    ///
    /// - Throws: The error of a response that failed, and ``/Cabinet/CabinetError/Code/internalError`` for another one.
    public func userRecordName() throws -> String {
        let root = try CloudKitRequestHandler.root(of: self)
        guard let user = root["users"]?.elements.first(where: { _ in true }) else { throw root.missing("users") }
        return try user.required("userRecordName").string()
    }

    /// Returns the URL of notifications that `tokens/create` answers.
    ///
    /// - Throws: The error of a response that failed, and ``/Cabinet/CabinetError/Code/internalError`` for another one.
    public func courierURL() throws -> String {
        try CloudKitRequestHandler.root(of: self).required("webcourierURL").string()
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
            status: failure.serverErrorCode.status, body: writer.bytes, retryAfter: failure.error.retryAfter)
    }

    /// Creates a response from JSON that a function writes.
    init(status: Int = 200, _ body: (inout JSONWriter) throws(CabinetError) -> Void) throws(CabinetError) {
        var writer = JSONWriter()
        try writer.object(body)
        self.init(status: status, body: writer.bytes)
    }
}
