import Cabinet
import Foundation

// Shorthands for rules: creating records, and reading the content of a database.

extension Record {
    /// Creates a record with a name and fields.
    init(_ recordType: RecordType, _ name: String, _ fields: KeyValuePairs<FieldKey, (any RecordValue)?> = [:]) {
        self.init(recordType: recordType, recordID: RecordID(recordName: name))
        for (key, value) in fields { self[key] = value }
    }

    /// Returns a copy with some fields set or removed.
    func with(_ fields: KeyValuePairs<FieldKey, (any RecordValue)?>) -> Record {
        var copy = self
        for (key, value) in fields { copy[key] = value }
        return copy
    }

    /// The stored value of a field.
    func fieldValue(_ key: FieldKey) -> FieldValue? { self[key]?.fieldValue }
}

extension Reference {
    /// A reference to the record with a name in the default zone.
    init(_ name: String, _ action: Action = .none) {
        self.init(recordID: RecordID(recordName: name), action: action)
    }
}

extension RecordID {
    /// The ID of the record with a name in the default zone.
    static func named(_ name: String) -> RecordID { RecordID(recordName: name) }
}

extension Database {
    /// Saves records in one batch.
    ///
    /// All of them must succeed.
    @discardableResult
    func saveAll(_ records: [Record]) async throws -> [Record] {
        let results = try await modifyRecords(saving: records, deleting: []).saveResults
        return try records.map { try require(results[$0.recordID], "The result of \($0.recordID)").get() }
    }

    /// Saves and deletes records in an atomic batch that must fail.
    ///
    /// - Returns: The failure of each record that was not saved or deleted.
    func failures(
        saving records: [Record], deleting ids: [RecordID] = [], fileID: String = #fileID, line: Int = #line
    ) async throws -> [RecordID: Result<Void, CabinetError>] {
        let error = try await expectError(.partialFailure, fileID: fileID, line: line) {
            try await modifyRecords(saving: records, deleting: ids)
        }
        return error.partialErrorsByItemID.mapValues { .failure($0) }
    }

    /// Deletes records in one batch.
    ///
    /// All deletions must succeed.
    func deleteAll(_ names: [String]) async throws {
        let ids = names.map { RecordID.named($0) }
        let results = try await modifyRecords(saving: [], deleting: ids).deleteResults
        for id in ids { try require(results[id], "The result of \(id)").get() }
    }

    /// The record with a name in the default zone.
    func fetch(_ name: String) async throws -> Record {
        try await record(for: .named(name))
    }

    /// The names of those among the given records that exist.
    func existing(_ names: [String]) async throws -> [String] {
        let results = try await records(for: names.map { .named($0) }, desiredKeys: [])
        return try names.filter { name in
            switch try require(results[.named(name)], "The result of \(name)") {
            case .success: return true
            case .failure(let error) where error.code == .unknownItem: return false
            case .failure(let error): throw error
            }
        }
    }

    /// The names of a query's records, in its order.
    func names(
        _ recordType: Record.RecordType = "Items", where filter: Filter = .constant(true), by order: [Sort]? = nil
    ) async throws -> [String] {
        let query = Query(recordType: recordType, filter: filter, sortedBy: order ?? [])
        let names = try await allRecords(matching: query).map(\.recordID.recordName)
        return order == nil ? names.sorted() : names
    }
}

extension Filter {
    /// A comparison of a field with a value.
    static func compare(_ key: Record.FieldKey, _ comparison: Operator, _ value: (any RecordValue)?) -> Filter {
        .comparison(Comparison(.field(key), comparison, .constant(value?.fieldValue)))
    }

    /// A comparison of a field with a list of values.
    static func compare(_ key: Record.FieldKey, _ comparison: Operator, list: [(any RecordValue)?]) -> Filter {
        .comparison(Comparison(.field(key), comparison, .list(list.map { .constant($0?.fieldValue) })))
    }
}
