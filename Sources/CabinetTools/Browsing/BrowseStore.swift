package import Cabinet

/// Carries out the requests of a browser's screens.
package struct BrowseStore: Sendable {
    let container: Container
    let database: Database
    /// Runs a closure with the same database of another store.
    let withStore: @Sendable (String, (Database) async throws -> Void) async throws -> Void
    /// Returns the text of an error for a person.
    let describe: @Sendable (any Error) -> String

    /// The number of records that are loaded at once.
    package static let chunkSize = 100
    /// The number of changes that a list of them has at most.
    package static let changeLimit = 500

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - withStore: Runs a closure with the same database of another store.
    ///   - describe: Returns the text of an error for a person.
    package init(
        container: Container, database: Database,
        withStore: @escaping @Sendable (String, (Database) async throws -> Void) async throws -> Void,
        describe: @escaping @Sendable (any Error) -> String
    ) {
        self.container = container
        self.database = database
        self.withStore = withStore
        self.describe = describe
    }

    /// Carries out a request, and reports its result, or its results if it goes on.
    package func perform(_ request: BrowseRequest, report: @Sendable (BrowseResult) async -> Void) async {
        do {
            if case .changes(let zoneID) = request { return try await follow(zoneID, report) }
            await report(try await result(of: request))
        } catch {
            if Task.isCancelled { return }
            if case CabinetError.Code.serverRecordChanged = error {
                let advice = "Another client has changed the record. r reads it again, without what was typed here."
                return await report(.failed(request, advice))
            }
            await report(.failed(request, describe(error)))
        }
    }

    private func result(of request: BrowseRequest) async throws -> BrowseResult {
        switch request {
        case .schema: return .schema(try await database.schema())
        case .count(let selection):
            return .count(selection, try await database.count(matching: selection.query, inZoneWith: selection.zoneID))
        case .rows(let selection, let keys, let chunk, let start):
            let limit = Self.chunkSize
            let page =
                if let start {
                    try await database.records(continuingMatchFrom: start, desiredKeys: keys, resultsLimit: limit)
                } else {
                    try await database.records(
                        matching: selection.query, inZoneWith: selection.zoneID, desiredKeys: keys, resultsLimit: limit)
                }
            return .rows(
                selection, chunk: chunk, try page.matchResults.map { try $0.1.get() }, next: page.queryCursor)
        case .start(let selection, let chunk, let rows):
            return .start(selection, chunk: chunk, try await position(of: selection, rowsToEnd: rows))
        case .cancelEarlier: throw CancellationError()
        case .record(let id): return .record(try await database.record(for: id))
        case .save(let record): return .saved(try await database.save(record))
        case .delete(let id): return .deleted(try await database.deleteRecord(withID: id))
        case .zones: return .zones(try await zones())
        case .addZone(let name):
            _ = try await database.save(RecordZone(zoneName: name))
            return .zones(try await zones())
        case .deleteZone(let id):
            _ = try await database.deleteRecordZone(withID: id)
            return .zones(try await zones())
        case .define(let text): return .schema(try await define(text))
        case .rename(let part, let name):
            try await database.rename(part, to: name)
            return .schema(try await database.schema())
        case .losses(let part): return .losses(part, try await database.lossesOfDrop(part))
        case .drop(let part, let limit):
            try await database.drop(part, losingAtMost: limit)
            return .schema(try await database.schema())
        case .compare(let store):
            var difference: SchemaDifference?
            let schema = try await database.schema()
            try await withStore(store) { difference = try await $0.schema().difference(to: schema) }
            return difference.map(BrowseResult.difference) ?? .deployed
        case .deploy(let store):
            let schema = try await database.schema()
            try await withStore(store) { try await $0.deploy(schema) }
            return .deployed
        case .changes: return .changes([])
        }
    }

    private func zones() async throws -> [RecordZone.ID] {
        try await database.allRecordZones().map(\.zoneID).sorted { $0.zoneName < $1.zoneName }
    }

    /// Adds the types and fields of a text to the schema, and returns the new one.
    private func define(_ text: String) async throws -> Schema {
        let new: Schema
        do {
            new = try SchemaDocument(parsing: "DEFINE SCHEMA \(text)").schema
        } catch {
            throw CabinetError(.invalidArguments, error.message)
        }
        try await database.apply(try await database.schema().extended(by: new))
        return try await database.schema()
    }

    /// Reports the last changes of a zone, and each further one.
    private func follow(_ zoneID: RecordZone.ID, _ report: @Sendable (BrowseResult) async -> Void) async throws {
        let signals = try container.signals(of: database.databaseScope)
        var token = try await database.startOfLastChanges(inZoneWith: zoneID)
        var isFirst = true
        func read() async throws {
            var changes: [BrowseChange] = []
            var moreComing = true
            while moreComing {
                let page = try await OrderedChanges(
                    database, inZoneWith: zoneID, since: token, limit: Self.changeLimit)
                (token, moreComing) = (page.token, page.moreComing)
                changes = (changes + page.changes.map(BrowseChange.init)).suffix(Self.changeLimit)
            }
            if isFirst || !changes.isEmpty { await report(.changes(changes)) }
            isFirst = false
        }
        try await read()
        for await _ in signals { try await read() }
    }
}

extension Schema {
    /// Returns the record types of another schema, each with what this schema has of it.
    ///
    /// A type that is applied loses the indexes and unique values that it lacks, and its grants name roles.
    package func extended(by other: Schema) -> Schema {
        var schema = Schema(recordTypes: [:], roles: roles.union(other.roles))
        for (name, type) in other.recordTypes {
            var extended = self[name]
            for (key, field) in type.fields { extended[key] = field }
            extended.indexes.formUnion(type.indexes)
            extended.uniqueKeys.formUnion(type.uniqueKeys)
            if !type.grants.isEmpty { extended.grants = type.grants }
            schema[name] = extended
        }
        return schema
    }
}
