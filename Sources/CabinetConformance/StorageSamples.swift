import Cabinet
import Foundation

// Shorthands for rules about the storage protocols.

extension StoredRecord {
    /// A record of the type `Samples` with one field, and with a sequence number that no other sample has.
    static func sample(
        _ name: String, _ value: FieldValue? = nil, type: Record.RecordType = "Samples", field: Record.FieldKey = "x",
        parent: String? = nil, in zoneID: RecordZone.ID = .default
    ) -> StoredRecord {
        StoredRecord(
            recordID: RecordID(recordName: name, zoneID: zoneID), recordType: type,
            sequenceNumber: SampleNumbers.shared.next(),
            creationDate: Date(timeIntervalSinceReferenceDate: 790_000_000.25), creatorName: "anna",
            modificationDate: Date(timeIntervalSinceReferenceDate: 790_000_001.123_456_78), lastModifierName: "ben",
            parentName: parent,
            fields: FieldValues(names: FieldNames(value == nil ? [] : [field]), values: value.map { [$0] } ?? []))
    }

    /// The value of the field `x`.
    var x: FieldValue? { fields["x"] }
}

extension StorageBackend {
    /// Adds fields to the type `Samples`, and inserts records, in one transaction.
    func insert(
        _ records: [StoredRecord], fields: [StoredField] = [StoredField(name: "x", type: .int64)],
        in database: DatabaseKey = .public
    ) async throws {
        try await write(database) { transaction in
            let known = try await transaction.schema().recordTypes["Samples"]
            let new = fields.filter { known?[$0.name] == nil }
            if known == nil || !new.isEmpty { try await transaction.add(new, to: "Samples") }
            try await transaction.insert(records)
        }
    }

    /// The record with a name, read in a new snapshot.
    func record(_ name: String, in database: DatabaseKey = .public) async throws -> StoredRecord? {
        try await read(database) { snapshot in
            let found = try await snapshot.records(for: [.named(name)], keys: nil)
            return try require(found.first, "The element for the ID")
        }
    }

    /// The names of the records of the type `Samples`, read in a new snapshot.
    func names(in database: DatabaseKey = .public) async throws -> [String] {
        try await read(database) { try await $0.names() }
    }
}

extension StorageTransaction {
    /// Adds fields to a record type.
    ///
    /// The type is added if the schema lacks it.
    func add(_ fields: [StoredField], to recordType: Record.RecordType) async throws {
        try await apply([.addFields(fields, to: recordType)])
    }

    /// Inserts records.
    func insert(_ records: [StoredRecord]) async throws {
        try await apply(records.map(StorageMutation.insert))
    }

    /// Updates stored records.
    func update(_ records: [StoredRecord]) async throws {
        let stored = try await load(StorageKeys(records: records.map(\.recordID))).records
        try await apply(
            zip(records, stored).map { .update($0, replacing: try require($1, "The record \($0.recordID)")) })
    }

    /// Deletes records, with the current date and with sequence numbers that no sample has.
    func remove(_ ids: [RecordID]) async throws {
        let stored = try await load(StorageKeys(records: ids)).records
        try await apply(zip(ids, stored).map { .deletion(of: try require($1, "The record \($0)")) })
    }

    /// Replaces the indexes of a record type.
    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) async throws {
        try await apply([.setIndexes(indexes, of: recordType)])
    }
}

extension StorageMutation {
    /// The deletion of a stored record, with the current date and a sequence number that no sample has.
    static func deletion(of record: StoredRecord) -> StorageMutation {
        let deletion = StoredDeletion(
            recordID: record.recordID, recordType: record.recordType, sequenceNumber: SampleNumbers.shared.next(),
            date: Date(timeIntervalSinceReferenceDate: 790_000_002.123_456_78))
        return .delete(deletion, replacing: record)
    }
}

extension StorageSnapshot {
    /// The names of the records of the type `Samples`.
    func names() async throws -> [String] {
        let fields = try await schema().recordTypes["Samples"] ?? [:]
        return try await records(
            matching: QueryPlan(recordType: "Samples", filter: .constant(true), fields: FieldTypes(fields))
        )
        .map(\.recordID.recordName).sorted()
    }

    /// Counts a plan's records, with the backend's ability if it has one.
    func count(matching plan: QueryPlan) async throws -> Int {
        if let aggregates = abilities.aggregates { return try await aggregates.count(matching: plan) }
        let all = try QueryPlan(
            recordType: plan.recordType, zoneID: plan.zoneID, filter: plan.filter, fields: plan.fields)
        return try await records(matching: all).count
    }

    /// The text of an entry.
    func entry(_ key: StorageKey) async throws -> String? {
        try require(try await load(StorageKeys(entries: [key])).entries.first, "The element for the key")
    }

    /// The value of the field `x` of the record with a name.
    func x(_ name: String) async throws -> FieldValue? {
        try await records(for: [.named(name)], keys: nil).first??.x
    }
}

/// Lets one part of a rule wait for another.
actor Signal {
    private(set) var isGiven = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Resumes every waiter, present and future.
    func give() {
        isGiven = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// Waits for the signal.
    func wait() async {
        if isGiven { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}

// Unchecked, and safe: the lock guards the number.
/// Generates sequence numbers for records that are stored without the core, which would number them.
final class SampleNumbers: @unchecked Sendable {
    static let shared = SampleNumbers()

    private let lock = NSLock()
    private var last: Int64 = 0

    func next() -> Int64 {
        lock.withLock {
            last += 1
            return last
        }
    }
}
