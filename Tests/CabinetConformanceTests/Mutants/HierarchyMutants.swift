import Cabinet
import Foundation

extension Mutant {
    /// Backends that lose parts of shared hierarchies.
    static let sharing: [Mutant] = [
        Mutant(
            "keeps the share of records that only move",
            caughtBy: [
                "a record that moves takes what is below it along", "a deep hierarchy moves at once",
                "a root loses its share with the share, and a share goes with its root",
                "the changes of a hierarchy report what enters and leaves it",
                "a participant moves records within its hierarchies and out of them",
            ]
        ) {
            $0.ignoreMutations { mutation in
                guard case .update(let record, let old) = mutation else { return false }
                return record.sequenceNumber == old.sequenceNumber
            }
        },
        Mutant(
            "covers no record below a root",
            caughtBy: [
                "at most one share covers a record",
                "a participant of a hierarchy sees the share, the root and what is below it",
                "a participant saves below a shared record alone",
                "a participant reads the assets of a hierarchy alone",
            ]
        ) {
            $0.mapShares { $0.action == .nullify ? $0 : nil }
        },
        Mutant(
            "makes no record the root of a share",
            caughtBy: [
                "the share of a record names its root, and the root its share",
                "a root that is shared again has the same URL",
                "a participant deletes below the root, and nothing outside",
            ]
        ) {
            $0.mapShares { Reference(recordID: $0.recordID, action: .none) }
        },
        Mutant(
            "finds the records of all shares",
            caughtBy: [
                "a participant of a hierarchy sees the share, the root and what is below it",
                "a record outside of a hierarchy does not exist for its participants",
                "a transaction of a participant reads and changes its hierarchy",
                "two shares of one zone are one zone with both hierarchies",
                "a live query of a hierarchy follows what enters and leaves it",
            ]
        ) {
            $0.plan = { plan in
                func isOther(_ filter: Filter) -> Bool { !filter.fieldKeys.contains(shareKey) }
                if isOther(plan.filter) { return plan }
                guard case .and(let parts) = plan.filter else { return try plan.evaluating(nil) }
                return try plan.evaluating(.and(parts.filter(isOther)))
            }
        },
        Mutant(
            "loads each record as one of a share",
            caughtBy: [
                "a record outside of a hierarchy does not exist for its participants",
                "a participant deletes below the root, and nothing outside",
            ]
        ) {
            $0.mapLoaded { records, _ in
                records.map { record in
                    guard var record, record.fields[shareKey] == nil, record.recordID.zoneID.zoneName == "Lists" else {
                        return record
                    }
                    let share = RecordID(recordName: "listShare", zoneID: record.recordID.zoneID)
                    record.fields[shareKey] = .reference(Reference(recordID: share, action: .none))
                    return record
                }
            }
        },
        Mutant(
            "forgets which records have moved",
            caughtBy: [
                "the changes of a hierarchy report what enters and leaves it",
                "a live query of a hierarchy follows what enters and leaves it",
                "a participant moves records within its hierarchies and out of them",
                "moves are forgotten with deletions",
            ]
        ) {
            $0.ignoreMutations { mutation in
                if case .setEntry(let key, _) = mutation { key.text.contains("/move/") } else { false }
            }
        },
        Mutant(
            "keeps the parts of participants that a share loses",
            caughtBy: [
                "a participant of a hierarchy is removed, and a public share admits all",
                "two shares of one zone are one zone with both hierarchies",
                "a root loses its share with the share, and a share goes with its root",
            ]
        ) {
            $0.ignoreMutations { mutation in
                if case .setEntry(let key, nil) = mutation { key.text.contains("/participant/") } else { false }
            }
        },
        Mutant(
            "does not add the hidden field of shares", caughtBy: ["a store with shared hierarchies verifies clean"]
        ) {
            $0.replaceMutations { mutation in
                guard case .addFields(let fields, let type) = mutation else { return [mutation] }
                let others = fields.filter { $0.name != shareKey }
                return others.isEmpty && !fields.isEmpty ? [] : [.addFields(others, to: type)]
            }
        },
    ]
}

/// The hidden field with the share of a record.
private let shareKey = "_share"

extension Fault {
    /// Changes the shares of the stored records.
    fileprivate mutating func mapShares(_ change: @escaping @Sendable (Reference) -> Reference?) {
        @Sendable func changed(_ record: StoredRecord) -> StoredRecord {
            var record = record
            if record.recordType != Share.recordType, case .reference(let share)? = record.fields[shareKey] {
                record.fields[shareKey] = change(share).map { .reference($0) }
            }
            return record
        }
        replaceMutations { mutation in
            switch mutation {
            case .insert(let record): [.insert(changed(record))]
            case .update(let record, let old): [.update(changed(record), replacing: old)]
            default: [mutation]
            }
        }
    }
}
