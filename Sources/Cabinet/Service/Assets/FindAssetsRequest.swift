/// A request for those of some assets that the store has, undamaged, so that their bytes need not be sent again.
public struct FindAssetsRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The assets, each of at most a megabyte.
    public var assets: [StoredAsset] = []

    /// The assets that were found.
    public struct Response: ServiceValue {
        /// The assets that the store has; none if the caller may not read every record that can have them.
        public var assets: [StoredAsset] = []

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "findAssets"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension FindAssetsRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("assets", &assets)
    }
}

extension FindAssetsRequest.Response {
    /// Creates the response of a service that finds none.
    package init(found assets: [StoredAsset]) { self.init(assets: assets) }
}

extension FindAssetsRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("assets", &assets)
    }
}
