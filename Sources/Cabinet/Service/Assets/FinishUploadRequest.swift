public import Foundation

/// A request to make the bytes of an upload durable, after the last of them was sent.
public struct FinishUploadRequest: ServiceRequest {
    /// The upload.
    public var upload = UUID()

    /// The checksum and size of the bytes that the service has.
    public typealias Response = StoredAsset

    /// The request's name.
    public static let name = "finishUpload"
    /// The request's effect.
    public static let effect = RequestEffect.idempotent
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension FinishUploadRequest {
    /// Creates a request for an upload.
    package init(_ upload: UUID) { self.init(upload: upload) }
}

extension FinishUploadRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("upload", &upload)
    }
}
