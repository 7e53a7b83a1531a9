import Cabinet
import Foundation

extension Mutant {
    /// Backends that read other values than were written.
    static let reading: [Mutant] = [
        Mutant(
            "leaves out the IDs that are not there",
            caughtBy: [
                "records come in the order of their IDs", "a zone's records are separate",
            ]
        ) { $0.mapLoaded { records, _ in records.contains { $0 == nil } ? records.filter { $0 != nil } : records } },
        Mutant(
            "finds records that are not there",
            caughtBy: [
                "a reference with a rule needs its target", "a parent must exist",
                "records come in the order of their IDs",
            ]
        ) {
            $0.mapLoaded { records, ids in
                zip(records, ids).map { record, id in
                    if let record { return record }
                    var phantom = StoredRecord.phantom
                    phantom.recordID = id
                    return phantom
                }
            }
            $0.mapExisting { _, _ in true }
        },
        Mutant(
            "takes every record for one of the same user",
            caughtBy: [
                "another user's reference or child does not prevent a deletion",
                "a chain of another user's records does not prevent a deletion",
                "a creator's own references deny a deletion in public",
            ]
        ) {
            $0.mapLoaded { records, _ in
                records.map { record in
                    guard var record else { return nil }
                    record.creatorName = "_anna"
                    return record
                }
            }
        },
        Mutant("sorts fetched records by name", caughtBy: ["records come in the order of their IDs"]) {
            $0.mapLoaded { records, _ in
                records.sorted { ($0?.recordID.recordName ?? "~") < ($1?.recordID.recordName ?? "~") }
            }
        },
        Mutant("gives a repeated ID's record once", caughtBy: ["records come in the order of their IDs"]) {
            $0.mapLoaded { records, ids in
                var seen: Set<RecordID> = []
                return zip(records, ids).map { seen.insert($1).inserted ? $0 : nil }
            }
        },
        Mutant("fetches a thousand records at most", caughtBy: ["thousands of records are fetched at once"]) {
            $0.mapLoaded { records, _ in records.enumerated().map { $0.offset < 1000 ? $0.element : nil } }
        },
        Mutant(
            "ignores desired keys",
            caughtBy: [
                "desiredKeys are exactly the fetched keys", "a record fetched with keys is incomplete",
            ]
        ) {
            $0.keys = { keys in
                var keys = keys
                keys.fields = nil
                return keys
            }
        },
        Mutant(
            "calls a part of a record complete",
            caughtBy: [
                "a record fetched with keys is incomplete", "a field that was not fetched can be set or removed",
            ]
        ) {
            $0.mapLoaded { records, _ in
                records.map { record in
                    guard var record else { return nil }
                    record.fields = FieldValues(names: record.fields.names, values: record.fields.values)
                    return record
                }
            }
        },
        Mutant(
            "finds no references",
            caughtBy: [
                "references are found from their targets", "a deletion also deletes owned records",
                "a saved record that the same deletion removes denies nothing",
                "a chain is deleted as a whole",
                "nullify clears the field", "deny refuses the deletion and names the referring record",
                "a parent cannot be deleted without its children",
            ]
        ) { $0.references = { _ in [] } },
        Mutant(
            "finds no parents",
            caughtBy: [
                "references are found from their targets", "a parent cannot be deleted without its children",
            ]
        ) { $0.references = { $0.filter { $0.place != .parent } } },
        Mutant("finds one reference of each record", caughtBy: ["references are found from their targets"]) {
            $0.references = { references in
                var seen: Set<RecordID> = []
                return references.sorted { $0.target.recordName < $1.target.recordName }
                    .filter { seen.insert($0.source).inserted }
            }
        },
        Mutant(
            "finds equal elements of a list once", caughtBy: ["each element of a list is a reference of its own"]
        ) { $0.references = { Array(Set($0)) } },
        Mutant("has no room for three long names", caughtBy: ["the longest names work together"]) {
            $0.mapLoaded { records, ids in
                zip(records, ids).map { record, id in
                    let zone = id.zoneID
                    let length = id.recordName.utf8.count + zone.zoneName.utf8.count + zone.ownerName.utf8.count
                    return length > 600 ? nil : record
                }
            }
        },
        Mutant("has room for ten snapshots", caughtBy: ["many snapshots are open at the same time"]) {
            $0.openSnapshots = 10
        },
        Mutant(
            "finds a hundred references at most",
            caughtBy: [
                "ten thousand items are deleted with their list", "references are found from thousands of targets",
            ]
        ) { $0.references = { Array($0.prefix(100)) } },
        Mutant(
            "takes every reference for deleteSelf",
            caughtBy: [
                "nullify clears the field", "deny refuses the deletion and names the referring record",
            ]
        ) {
            $0.references = {
                $0.map { reference in
                    guard case .field(let key, _) = reference.place else { return reference }
                    return StoredReference(
                        target: reference.target, source: reference.source, place: .field(key, action: .deleteSelf))
                }
            }
        },
        Mutant(
            "forgets the schema",
            caughtBy: [
                "the schema consists of the added fields", "a value of another type is refused",
                "a field survives its records",
                "a strict container refuses a store with a field of another type",
                "a strict container keeps the unknown fields of a record",
                "a deployment that would lose data is refused",
            ]
        ) { $0.mapSchema { $0 = StoredSchema() } },
        Mutant(
            "mixes users up",
            caughtBy: [
                "databases are separate", "another user's private records are out of reach",
                "databases do not share fields", "another user's cursor and tokens lead nowhere",
                "no call reads another user's private records", "no call changes another user's private records",
                "another user's checksum does not give the bytes", "a sync engine starts again for another user",
            ]
        ) { $0.database = { if case .private = $0 { .private(owner: "everyone") } else { $0 } } },
        Mutant(
            "mixes users up whose names differ by case",
            caughtBy: [
                "databases are separate", "users with similar names are different",
                "entries belong to their database",
            ]
        ) { $0.database = { if case .private(let owner) = $0 { .private(owner: owner.lowercased()) } else { $0 } } },
        Mutant(
            "knows the first 63 characters of users' names",
            caughtBy: ["databases are separate", "users with similar names are different"]
        ) { $0.cutOwners(63) },
        Mutant("knows the first 254 characters of users' names", caughtBy: ["databases are separate"]) {
            $0.cutOwners(254)
        },
        Mutant(
            "takes a user called public for the public",
            caughtBy: [
                "databases are separate", "a user named public is not the public database",
            ]
        ) { $0.database = { [.private(owner: "public"), .private(owner: "_public")].contains($0) ? .public : $0 } },
        Mutant("mixes private and shared databases up", caughtBy: ["databases are separate"]) {
            $0.database = { if case .shared(let owner) = $0 { .private(owner: owner) } else { $0 } }
        },
    ]
}

extension StoredRecord {
    /// A record that was never saved.
    static let phantom = StoredRecord(
        recordID: RecordID(recordName: "phantom"), recordType: "Phantoms", sequenceNumber: 1,
        creationDate: .distantPast,
        creatorName: "nobody", modificationDate: .distantPast, lastModifierName: "nobody", fields: .empty)
}

extension Fault {
    /// Mixes up the databases of users whose names begin with the same characters.
    fileprivate mutating func cutOwners(_ length: Int) {
        database = { database in
            switch database {
            case .public: .public
            case .private(let owner): .private(owner: String(owner.prefix(length)))
            case .shared(let owner): .shared(owner: String(owner.prefix(length)))
            }
        }
    }
}
