public import Foundation

/// A request to release uploads, with their bytes unless a saved record has them.
public struct EndUploadsRequest: ServiceRequest {
    /// The uploads; unknown ones are passed over.
    public var uploads: [UUID] = []

    /// No content.
    public typealias Response = EmptyResponse

    /// The request's name.
    public static let name = "endUploads"
    /// The request's effect.
    public static let effect = RequestEffect.idempotent
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension EndUploadsRequest {
    /// Creates a request.
    package init(_ uploads: [UUID]) { self.init(uploads: uploads) }
}

extension EndUploadsRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("uploads", &uploads)
    }
}
