import Cabinet
import Foundation

/// The maintenance of a backend that cannot be damaged, with a fault.
struct MutantMaintenance: StorageMaintenance {
    let fault: Fault
    let base: MemoryBackend

    func issues(in database: DatabaseKey, limit: Int) async throws -> [IntegrityIssue] { fault.issues([]) }

    func rebuildIndexes(of database: DatabaseKey) async throws {
        guard fault.rebuildingLosesRecords else { return }
        try await base.write(database) { transaction in
            guard let fields = try await transaction.schema().recordTypes["Items"] else { return }
            let plan = try QueryPlan(recordType: "Items", filter: .field("name") == nil, fields: FieldTypes(fields))
            let lost = try await transaction.records(matching: plan)
            try await transaction.apply(
                lost.map { record in
                    .delete(
                        StoredDeletion(
                            recordID: record.recordID, recordType: record.recordType,
                            sequenceNumber: record.sequenceNumber, date: Date()),
                        replacing: record)
                })
        }
    }
}

extension Mutant {
    /// Backends that do not know what they hold.
    static let verifying: [Mutant] = [
        Mutant("loses records when it rebuilds indexes", caughtBy: ["rebuilding indexes changes no answer"]) {
            $0.rebuildingLosesRecords = true
        },
        Mutant(
            "finds damage where there is none",
            caughtBy: [
                "an undamaged store has no integrity issues", "a saved store verifies clean",
                "a repair does not change a healthy store",
            ]
        ) { $0.issues = { _ in [IntegrityIssue(.storage, "There might be damage.", isRepairable: true)] } },
        Mutant("changes a byte of an asset", caughtBy: ["stored assets verify clean"]) { fault in
            fault.assetBytes = { bytes, _ in
                guard var bytes, let last = bytes.popLast() else { return bytes }
                bytes.append(last ^ 1)
                return bytes
            }
        },
    ]
}
