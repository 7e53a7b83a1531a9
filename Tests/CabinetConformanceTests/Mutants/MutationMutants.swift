import Cabinet
import Foundation

extension Mutant {
    /// Backends that apply other mutations than requested, or in another order.
    static let applying: [Mutant] = [
        Mutant(
            "applies insertions first",
            caughtBy: ["mutations are applied in order", "one apply has the effect of several"]
        ) {
            $0.applied = { mutations in
                mutations.filter { if case .insert = $0 { true } else { false } }
                    + mutations.filter { if case .insert = $0 { false } else { true } }
            }
        },
        Mutant("applies entries backwards", caughtBy: ["mutations are applied in order"]) {
            $0.applied = { mutations in
                mutations.filter { if case .setEntry = $0 { false } else { true } }
                    + mutations.reversed().filter { if case .setEntry = $0 { true } else { false } }
            }
        },
        Mutant("applies the first hundred mutations", caughtBy: ["thousands of records are fetched at once"]) {
            $0.applied = { Array($0.prefix(100)) }
        },
        Mutant("counts transactions that change nothing", caughtBy: ["an empty apply changes nothing"]) {
            $0.applied = { $0 + [.setEntry(StorageKey("sample/count"), UUID().uuidString)] }
        },
        Mutant(
            "forgets all deletions of a zone", caughtBy: ["deletions are forgotten up to a number"]
        ) {
            $0.replaceMutations { mutation in
                guard case .forgetDeletions(let zoneID, _) = mutation else { return [mutation] }
                return [.forgetDeletions(in: zoneID, through: .max)]
            }
        },
        Mutant("forgets no deletions", caughtBy: ["deletions are forgotten up to a number"]) {
            $0.ignoreMutations { if case .forgetDeletions = $0 { true } else { false } }
        },
        Mutant(
            "erases the default zone with any other", caughtBy: ["an erased zone does not affect other zones"]
        ) {
            $0.replaceMutations { mutation in
                guard case .eraseZone = mutation else { return [mutation] }
                return [mutation, .eraseZone(.default)]
            }
        },
        Mutant(
            "removes an asset that is added in the same transaction",
            caughtBy: ["an asset is added twice, or removed and added, in one transaction"]
        ) {
            $0.applied = { mutations in
                mutations.filter { if case .removeAsset = $0 { false } else { true } }
                    + mutations.filter { if case .removeAsset = $0 { true } else { false } }
            }
        },
        Mutant(
            "reports a deletion of a stored record", caughtBy: ["an inserted record is found in every way"]
        ) {
            $0.changes = { changes in
                changes.flatMap { change -> [StoredChange] in
                    guard case .saved(let record) = change, record.recordID.recordName == "a" else { return [change] }
                    let deletion = StoredDeletion(
                        recordID: record.recordID, recordType: record.recordType,
                        sequenceNumber: record.sequenceNumber, date: .distantPast)
                    return [.deleted(deletion), change]
                }
            }
        },
        Mutant(
            "keeps the dates of deletions in milliseconds",
            caughtBy: ["a deleted record is a deletion in the changes"]
        ) {
            $0.replaceMutations { mutation in
                guard case .delete(let deletion, let old) = mutation else { return [mutation] }
                let other = StoredDeletion(
                    recordID: deletion.recordID, recordType: deletion.recordType,
                    sequenceNumber: deletion.sequenceNumber, date: deletion.date.inMilliseconds)
                return [.delete(other, replacing: old)]
            }
        },
        Mutant("reads records between deletions", caughtBy: ["deletions are read without the records between them"]) {
            $0.content = { $0 == .deletions ? .all(fields: []) : $0 }
        },
        Mutant("reads every field of changes", caughtBy: ["a change has the requested fields"]) {
            $0.content = { if case .all = $0 { .all(fields: nil) } else { $0 } }
        },
        Mutant(
            "renames no field",
            caughtBy: [
                "a renamed field keeps its values and indexes", "random schema changes lose nothing",
                "a renamed field keeps its values", "a former name is refused",
                "a live query ends at a rename of its field", "a rename that cannot be is refused",
            ]
        ) {
            $0.ignoreMutations { if case .rename(let part, _) = $0 { part.fieldKey != nil } else { false } }
        },
        Mutant(
            "renames no record type",
            caughtBy: [
                "a renamed record type keeps its records and deletions", "a renamed record type keeps its records",
            ]
        ) {
            $0.ignoreMutations { if case .rename(let part, _) = $0 { part.fieldKey == nil } else { false } }
        },
        Mutant(
            "renames the field of every type",
            caughtBy: ["a renamed field keeps its values and indexes", "a renamed field keeps its values"]
        ) {
            $0.replaceMutations { mutation in
                guard case .rename(let part, let name) = mutation, let key = part.fieldKey else { return [mutation] }
                return [mutation] + ["Others", "Notes"].map { .rename(SchemaPart($0, key), to: name) }
            }
        },
        Mutant("drops the indexes of a renamed field", caughtBy: ["a renamed field keeps its values and indexes"]) {
            $0.replaceMutations { mutation in
                guard case .rename(let part, _) = mutation, part.fieldKey != nil else { return [mutation] }
                return [mutation, .setIndexes([], of: part.recordType)]
            }
        },
        Mutant(
            "removes no field or type",
            caughtBy: [
                "an empty field or record type is removed",
                "a dropped field loses its values, and their number is reported",
                "a dropped record type loses its records",
                "whole numbers become doubles",
            ]
        ) {
            $0.ignoreMutations { if case .remove = $0 { true } else { false } }
        },
        Mutant(
            "keeps the old type of deletions",
            caughtBy: [
                "a renamed record type keeps its records and deletions", "a renamed record type keeps its records",
            ]
        ) {
            $0.changes = { changes in
                changes.map { change in
                    guard case .deleted(let deletion) = change, ["Renamed", "Tasks"].contains(deletion.recordType)
                    else {
                        return change
                    }
                    return .deleted(deletion.renaming(SchemaPart(deletion.recordType), to: "Items"))
                }
            }
        },
        Mutant("renames a field in a thousand records", caughtBy: ["a renamed field keeps its values and indexes"]) {
            $0.page = { records, plan in
                guard plan.recordType == "Many" else { return records }
                return records.enumerated().map { $0.offset < 1000 ? $0.element : $0.element.mapValues { _ in nil } }
            }
        },
        Mutant(
            "renames the type of a thousand records",
            caughtBy: ["a renamed record type keeps its records and deletions"]
        ) { $0.page = { records, plan in plan.recordType == "Lots" ? Array(records.prefix(1000)) : records } },
        Mutant(
            "renames the type of a thousand deletions",
            caughtBy: ["a renamed record type keeps its records and deletions"]
        ) {
            $0.changes = { changes in
                changes.enumerated().map { index, change in
                    guard index >= 1000, case .deleted(let deletion) = change, deletion.recordType == "Lots" else {
                        return change
                    }
                    return .deleted(deletion.renaming(SchemaPart("Lots"), to: "Many"))
                }
            }
        },
        Mutant(
            "leaves zones with more than a thousand changes unchanged",
            caughtBy: ["deletions are forgotten up to a number", "an erased zone does not affect other zones"]
        ) { $0.leavesLargeZones = true },
        Mutant(
            "gives one change too many", caughtBy: ["changes come in the order of their numbers"]
        ) { $0.changeLimit = { $0 == .max ? $0 : $0 + 1 } },
    ]
}
