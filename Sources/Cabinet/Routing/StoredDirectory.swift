import Foundation

/// A directory that is kept as records in a store, so that all processes that reach the store have the same one.
///
/// Its records lie in a database of their own, which no account can reach. The store may be one of those that the directory tells of.
public struct StoredDirectory: DatabaseDirectory {
    private let backend: any StorageBackend

    // Accounts' names begin with an underscore.
    private static let database = DatabaseKey.shared(owner: "directory")
    private static let recordType = "Homes"
    private static let fields: [Record.FieldKey: FieldType] = [
        "name": .string, "generation": .int64, "target": .string,
    ]
    private static let pageSize = 1000

    /// Creates a directory in a store.
    ///
    /// - Parameter backend: The store.
    public init(in backend: any StorageBackend) {
        self.backend = backend
    }

    /// Looks a database's record up.
    public func home(of database: DatabaseKey) async throws -> DatabaseHome? {
        let id = Self.recordID(of: database)
        return try await backend.read(Self.database) { snapshot in
            try await snapshot.records(for: [id], keys: nil).first?.map { try Self.home($0, database) }
        }
    }

    /// Changes a database's record in a transaction, if it is as expected.
    public func replace(
        _ expected: DatabaseHome?, with home: DatabaseHome, of database: DatabaseKey
    ) async throws -> DatabaseHome {
        let id = Self.recordID(of: database)
        return try await backend.write(Self.database) { transaction in
            let record = try await transaction.records(for: [id], keys: nil).first ?? nil
            let found = try record.map { try Self.home($0, database) }
            if let found, found != expected { return found }
            guard found == expected else {
                throw CabinetError(
                    .internalError, "The directory has lost \(database), which lived in '\(expected?.name ?? "")'.")
            }
            let known = try await transaction.schema().recordTypes[Self.recordType] ?? [:]
            let missing = Self.fields.filter { known[$0.key] == nil }
            if !missing.isEmpty {
                let new = missing.map { StoredField(name: $0, type: $1) }.sorted { $0.name < $1.name }
                try await transaction.add(new, to: Self.recordType)
            }
            let number = try await transaction.reserveSequenceNumbers(1)
            let now = Date()
            var fields = RecordFields.empty
            fields["name"] = .string(home.name)
            fields["generation"] = .int64(home.generation)
            fields["target"] = home.target.map { .string($0) }
            let stored = StoredRecord(
                recordID: id, recordType: Self.recordType, sequenceNumber: number,
                creationDate: record?.creationDate ?? now, creatorName: "directory", modificationDate: now,
                lastModifierName: "directory", fields: fields)
            if record == nil { try await transaction.insert([stored]) } else { try await transaction.update([stored]) }
            try await transaction.markZones([.default], sequenceNumber: number)
            return home
        }
    }

    /// Lists the databases that have a record, page by page.
    public func databases() async throws -> [DatabaseKey] {
        try await backend.read(Self.database) { snapshot in
            var found: [DatabaseKey] = []
            var place: Int64 = 0
            while true {
                let page = try await snapshot.changes(inZone: .default, after: place, limit: Self.pageSize, keys: [])
                found += page.compactMap { $0.record.flatMap { Self.database(named: $0.recordID.recordName) } }
                guard page.count == Self.pageSize, let last = page.last else { return found }
                place = last.sequenceNumber
            }
        }
    }

    /// Whether a database is the one that has the records.
    public func isOwn(_ database: DatabaseKey) -> Bool { database == Self.database }

    /// Closes the store.
    public func close() async { await backend.close() }

    // MARK: Records

    private static func recordID(of database: DatabaseKey) -> RecordID {
        switch database {
        case .public: RecordID(recordName: "public")
        case .private(let owner): RecordID(recordName: "private:\(owner)")
        case .shared(let owner): RecordID(recordName: "shared:\(owner)")
        }
    }

    private static func database(named name: String) -> DatabaseKey? {
        if name == "public" { return .public }
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "private": return .private(owner: parts[1])
        case "shared": return .shared(owner: parts[1])
        default: return nil
        }
    }

    private static func home(_ record: StoredRecord, _ database: DatabaseKey) throws -> DatabaseHome {
        guard case .string(let name)? = record.fields["name"],
            case .int64(let generation)? = record.fields["generation"]
        else {
            throw CabinetError(
                .internalError,
                "The directory's record of \(database) has no name and generation: it was changed by something else.")
        }
        var target: String?
        if case .string(let name)? = record.fields["target"] { target = name }
        return DatabaseHome(name: name, generation: generation, target: target)
    }
}
