/// A request to save and delete zones.
public struct ModifyZonesRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The zones to save.
    public var zonesToSave: [RecordZone] = []
    /// The zones to delete, with their records.
    public var zoneIDsToDelete: [RecordZone.ID] = []
    /// The keys of encrypted values to store with zones that exist; none replaces another.
    var keysToAdd: [ZoneKeys]?

    /// The result of each zone of a ``ModifyZonesRequest``.
    public struct Response: ServiceValue {
        /// The saved zones or their errors, in the order of the request.
        public var saveResults: [Result<RecordZone, CabinetError>] = []
        /// The errors of the deletions, or `nil` for a success, in the order of the request.
        public var deleteErrors: [CabinetError?] = []

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "modifyZones"
    /// The request's effect.
    public static let effect = RequestEffect.once
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension ModifyZonesRequest {
    /// Creates a request to a database.
    package init(in scope: DatabaseScope) { self.init(scope: scope) }

    /// Whether the request stores keys of encrypted values.
    package var addsKeys: Bool { keysToAdd != nil }
}

extension ModifyZonesRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("zonesToSave", &zonesToSave)
        try coder.part("zonesToDelete", &zoneIDsToDelete)
        try coder.part("keysToAdd", &keysToAdd)
    }
}

extension ModifyZonesRequest.Response {
    /// Creates the response of a service that translates the request.
    package init(_ saveResults: [Result<RecordZone, CabinetError>], _ deleteErrors: [CabinetError?]) {
        self.init(saveResults: saveResults, deleteErrors: deleteErrors)
    }
}

extension ModifyZonesRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("saveResults", &saveResults)
        try coder.part("deleteErrors", &deleteErrors)
    }
}

extension RecordZone: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> RecordZone {
        RecordZone(zoneID: try .read(from: &reader))
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) { try zoneID.write(to: &writer) }
}
