import Cabinet

@testable import CabinetConformance

// snippet: device
/// A device that works offline: edits wait in its outbox until it is synchronized.
struct Device: Codable, Sendable {
    private(set) var copy = LocalCopy()
    private var edits: [RecordID: Record] = [:]
    private var deletions: Set<RecordID> = []

    /// The record as the device shows it.
    func record(for id: RecordID) -> Record? {
        deletions.contains(id) ? nil : edits[id] ?? copy.zones[id.zoneID]?.records[id]
    }

    /// Keeps an edit; the record remembers what it was fetched as, so that the edit can be merged later.
    mutating func save(_ record: Record) {
        edits[record.recordID] = record
        deletions.remove(record.recordID)
    }

    mutating func delete(_ id: RecordID) {
        edits[id] = nil
        deletions.insert(id)
    }

    /// Sends what was edited, and takes in what others did.
    mutating func synchronize(with database: Database, resolvingConflictsWith resolver: ConflictResolver) async throws {
        let results = try await database.modifyRecords(
            saving: Array(edits.values), deleting: Array(deletions), atomically: false)
        for (id, result) in results.saveResults {
            do {
                if case .failure(let error) = result, error.code == .serverRecordChanged, let record = edits[id] {
                    try await database.save(record, resolvingConflictsWith: resolver)
                } else {
                    _ = try result.get()
                }
            } catch let error as CabinetError where Self.lost.contains(error.code) {}
            edits[id] = nil
        }
        for (id, result) in results.deleteResults {
            if case .failure(let error) = result, !Self.lost.contains(error.code) { throw error }
            deletions.remove(id)
        }
        try await copy.update(from: database)
    }

    /// Someone has deleted the record, its zone or what it refers to, or something denies the deletion: what the server has wins.
    private static let lost: Set<CabinetError.Code> = [.unknownItem, .zoneNotFound, .referenceViolation]
}
// end

extension Device {
    /// Takes in what others did, while the edits wait.
    mutating func update(from database: Database) async throws {
        try await copy.update(from: database)
    }
}
