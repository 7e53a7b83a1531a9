import Cabinet
import Foundation
import PostgresTestSupport
import SQLSupport

@testable import CabinetPostgres

/// A store with two databases, and access to its tables.
struct DamagedStore {
    let configuration: PostgresConfiguration
    let backend: PostgresBackend

    init(partitions: Int = 0, concurrentIndexSize: Int64? = nil) async throws {
        var configuration = Stores.configuration()
        configuration.partitions = partitions
        configuration.concurrentIndexSize = concurrentIndexSize ?? configuration.concurrentIndexSize
        self.configuration = configuration
        backend = try await Stores.backend(configuration)
        let list = try await container("_anna").privateDatabase.save(
            record("Lists", "list", ["title": "List"]))
        let reference = Reference(record: list, action: .nullify)
        _ = try await container("_anna").privateDatabase.modifyRecords(
            saving: [
                record("Items", "a", ["note": "red apples", "list": reference]),
                record("Items", "b", ["note": "green apples", "others": [reference, reference]]),
                record("Items", "gone", [:]),
            ], deleting: [])
        try await container("_anna").privateDatabase.deleteRecord(withID: RecordID(recordName: "gone"))
        // The first number becomes free.
        let ben = try container("_ben").privateDatabase
        for name in ["Shop", "Market"] {
            try await ben.save(record("Shops", "shop", ["name": name]), savePolicy: .allKeys)
        }
    }

    func record(_ type: String, _ name: String, _ fields: [String: any RecordValue]) -> Record {
        var record = Record(recordType: type, recordID: RecordID(recordName: name))
        for (key, value) in fields { record[key] = value }
        return record
    }

    func container(_ user: String, _ backend: PostgresBackend? = nil) throws -> Container {
        try Container(
            identifier: "com.example.damage", backend: backend ?? self.backend,
            account: Account(userRecordName: user))
    }

    /// A connection of another program.
    func connection() async throws -> Connection {
        let connection = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        try connection.run("SET search_path TO \(SQLName.quoted(configuration.schema))")
        return connection
    }

    /// Changes the tables as another program would.
    func run(_ statements: [String]) async throws {
        let connection = try await connection()
        for statement in statements { try connection.run(statement) }
    }

    /// Returns the texts of the first column of a statement's rows, in their order.
    func texts(_ sql: String) async throws -> [String] {
        try await connection().query(sql, isPrepared: false).rows.compactMap { $0.text(0) }
    }

    /// The findings of the store's own checks.
    func issues(of user: String = "_ben", limit: Int = 100) async throws -> [IntegrityIssue] {
        try await backend.issues(in: .private(owner: user), limit: limit)
    }

    /// Returns the descriptions of issues, without the store's name and the advice.
    func texts(_ issues: some Sequence<IntegrityIssue>) -> [String] {
        let start = "The store's PostgreSQL schema \(configuration.schema) is damaged: "
        return issues.map { String($0.message.replacing(start, with: "").prefix { $0 != "." }) }
    }
}
