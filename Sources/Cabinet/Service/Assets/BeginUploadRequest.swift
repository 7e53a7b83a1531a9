public import Foundation

/// A request to begin the upload of an asset's bytes, which ``DatabaseService/send(_:to:at:for:)`` then sends.
///
/// A local service has at most 2,000 uploads of a user in progress, and 30,000 of all users. A further one fails with
/// ``CabinetError/Code/limitExceeded``.
public struct BeginUploadRequest: ServiceRequest {
    /// The database that the asset will belong to.
    public var scope = DatabaseScope.private
    /// The zone of the record that will have the asset, which the shared database needs to know.
    public var zoneID: RecordZone.ID?
    /// A file on this machine that a service in this process may share with the store; it is never sent.
    public var file: URL?

    /// A new upload.
    public struct Response: ServiceValue {
        /// The upload's ID, which is valid for an hour after the last call that named it.
        public var upload = UUID()
        /// Whether the service has taken all bytes of the file.
        public var hasFile = false

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "beginUpload"
    /// The request's effect.
    public static let effect = RequestEffect.idempotent
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension BeginUploadRequest {
    /// Creates a request to a database.
    package init(in scope: DatabaseScope) { self.init(scope: scope) }
}

extension BeginUploadRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("zone", &zoneID)
    }
}

extension BeginUploadRequest.Response {
    /// Creates the response of a service that translates the request.
    package init(_ upload: UUID) { self.init(upload: upload) }
}

extension BeginUploadRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("upload", &upload)
        try coder.part("hasFile", &hasFile)
    }
}
