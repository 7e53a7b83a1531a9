/// A request for the migrations that a database has begun or completed.
public struct FetchMigrationsRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private

    /// The migrations of a ``FetchMigrationsRequest``.
    public struct Response: ServiceValue {
        /// The states of the migrations, by their names.
        var states: [String: MigrationState] = [:]
        /// Whether the container is strict, so that no migration may lose values.
        var isStrict = false

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "fetchMigrations"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension FetchMigrationsRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
    }
}

extension FetchMigrationsRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        var states = CodedDictionary(states)
        try coder.part("states", &states)
        self.states = states.values
        try coder.part("isStrict", &isStrict)
    }
}

extension MigrationState: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("step", &step)
        try coder.part("recordCount", &recordCount)
        try coder.part("position", &position)
        try coder.part("isDone", &isDone)
    }
}

extension MigrationStep: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("name", &name)
        try coder.part("before", &before)
        try coder.part("after", &after)
    }
}
