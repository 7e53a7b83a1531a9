import Cabinet
import Testing

@Suite("A field that another process drops")
struct DroppedFieldTests {
    /// A backend whose signals of changes do not arrive.
    private struct SilentBackend: StorageBackend, ChangeSignals {
        let base = MemoryBackend()

        var abilities: StorageAbilities { StorageAbilities(signals: self) }

        func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> { AsyncStream { _ in } }

        func read<Result: Sendable>(
            _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
        ) async throws -> Result { try await base.read(database, body) }

        func write<Result: Sendable>(
            _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
        ) async throws -> Result { try await base.write(database, body) }

        func close() async { await base.close() }
    }

    private let backend = SilentBackend()
    private let price = SchemaPart("Items", "price")

    private func container(_ service: LocalDatabaseService? = nil, of user: String = "_anna") throws -> Container {
        try Container(
            identifier: "com.example.shop", service: service ?? LocalDatabaseService(backend: backend),
            account: Account(userRecordName: user))
    }

    /// Creates a service with the schema of the public database, which has read it.
    private func running() async throws -> LocalDatabaseService {
        let schema = Schema(recordTypes: ["Items": .init(fields: ["name": .init(.string), "price": .init(.int64)])])
        try await container().publicDatabase.deploy(schema)
        let service = try LocalDatabaseService(backend: backend, schema: .deployed(in: .public))
        for scope in [DatabaseScope.public, .private] {
            try await container(service).database(with: scope).save(item("milk", ["price": 2]))
        }
        return service
    }

    private func item(_ name: String, _ fields: [String: Int]) -> Record {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: name))
        for (key, value) in fields { record[key] = value }
        return record
    }

    @Test("It stays dropped, although the save arrives before the signal", arguments: [DatabaseScope.public, .private])
    func save(scope: DatabaseScope) async throws {
        let database = try container(try await running()).database(with: scope)
        let other = try container()
        for scope in [DatabaseScope.public, .private] {
            _ = try await other.database(with: scope).drop(price, losingAtMost: 1)
        }
        await #expect(throws: CabinetError(.invalidArguments)) {
            try await database.save(item("oats", ["price": 3]))
        }
        #expect(try await database.schema()["Items"]["price"] == nil)
        try await database.save(item("oats", [:]))
    }

    @Test("The first request to another database does not create it")
    func preparation() async throws {
        let service = try await running()
        _ = try await container().publicDatabase.drop(price, losingAtMost: 1)
        let database = try container(service, of: "_ben").privateDatabase
        await #expect(throws: CabinetError(.invalidArguments)) {
            try await database.save(item("oats", ["price": 3]))
        }
        #expect(try await database.schema()["Items"]["price"] == nil)
    }
}
