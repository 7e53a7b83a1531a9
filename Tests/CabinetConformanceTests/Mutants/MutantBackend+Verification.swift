import Cabinet
import Foundation

/// What a broken backend does when it is verified.
extension MutantView {
    func damages(limit: Int) async throws -> [StoredDamage] {
        fault.damages(try await base.damages(limit: limit))
    }

    func rebuildIndexes() async throws {
        try await base.rebuildIndexes()
        guard fault.rebuildingLosesRecords, let fields = try await base.schema().recordTypes["Items"] else { return }
        let plan = QueryPlan(
            recordType: "Items", filter: .field("name") == nil, fields: FieldTypes(fields))
        let lost = try await base.records(matching: plan).map(\.recordID)
        let number = try await base.reserveSequenceNumbers(lost.count)
        try await base.remove(lost, firstSequenceNumber: number, date: Date())
    }
}

extension ReadOnlyTransaction {
    func damages(limit: Int) async throws -> [StoredDamage] { try await snapshot.damages(limit: limit) }
}

extension AutocommitTransaction {
    func damages(limit: Int) async throws -> [StoredDamage] {
        try await backend.read(database) { try await $0.damages(limit: limit) }
    }

    func rebuildIndexes() async throws {
        try await backend.write(database) { try await $0.rebuildIndexes() }
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
                "a store of its own finds no damage", "what was saved verifies clean",
                "a repair leaves alone what is as it must be",
            ]
        ) { $0.damages = { _ in [StoredDamage(.storage, "There might be damage.", isRepairable: true)] } },
        Mutant("changes a byte of an asset", caughtBy: ["stored assets verify clean"]) { fault in
            fault.assetBytes = { bytes, _ in
                guard var bytes, let last = bytes.popLast() else { return bytes }
                bytes.append(last ^ 1)
                return bytes
            }
        },
    ]
}
