/// A request to change a part of the schemas of databases, with the values that it has.
public struct ChangeSchemaRequest: ServiceRequest {
    /// The databases.
    public var scopes: [DatabaseScope] = []
    /// The record type or field.
    public var part = SchemaPart("")
    /// The change.
    public var change = SchemaChange.rename("")
    /// The part of a migration that the request does, in one database.
    var step: MigrationStep?

    /// The result of a ``ChangeSchemaRequest``.
    public struct Response: ServiceValue {
        /// The databases that have the part as the change leaves it.
        public var scopes: [DatabaseScope] = []
        /// The number of records, or of records with a value, that a drop loses.
        public var lossCount = 0

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "changeSchema"
    /// The request's effect.
    public static let effect = RequestEffect.idempotent
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Whether the request is a step of a migration.
    package var isOfMigration: Bool { step != nil }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension ChangeSchemaRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scopes", &scopes)
        try coder.part("part", &part)
        try coder.part("change", &change)
        try coder.part("step", &step)
    }
}

extension ChangeSchemaRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scopes", &scopes)
        try coder.part("lossCount", &lossCount)
    }
}
