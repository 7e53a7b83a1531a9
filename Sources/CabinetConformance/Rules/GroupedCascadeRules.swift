import Cabinet
import Foundation

extension ConformanceRule {
    /// Cascades over so many records that a store may delete them together.
    static let groupedCascades: [ConformanceRule] = [
        ConformanceRule(
            .storage, "records that refer to one record are deleted together",
            law:
                "A group has a type's records that refer to the target. Its first records are deleted together, with adjacent numbers.",
            source: .storage("StorageReferrers.delete(_:count:from:date:)")
        ) { world in
            let notes = RecordZone.ID(zoneName: "Notes")
            let members = (0..<9).map { StoredRecord.referring("m\($0)", to: "target") }
            try await world.backend.insert(
                [.sample("target")] + members
                    + [
                        .referring("other", to: "another"), .referring("weak", to: "target", .none),
                        .referring("elsewhere", to: "target", in: notes),
                    ], fields: [StoredField(name: "owner", type: .reference)])
            try await world.backend.write(.public) { transaction in
                guard let referrers = transaction.abilities.referrers else { return }
                let group = try await referrers.expectGroup(of: 9)
                let first = SampleNumbers.shared.next()
                let numbers = [first] + (1..<9).map { _ in SampleNumbers.shared.next() }
                try await referrers.delete(group, count: 4, from: numbers[0], date: .distantPast)
                try await transaction.expectMembers(members, deleted: numbers.prefix(4))
                try await referrers.delete(group, count: 5, from: numbers[4], date: .distantPast)
                try await transaction.expectMembers(members, deleted: numbers[...])
                // The names are free again.
                try await transaction.insert([.referring("m3", to: "target")])
                let changes = try await transaction.changes(in: .default, after: first - 1, limit: 100, of: .deletions)
                try expect("The deletions after an insertion", changes.count, equals: 8)
                _ = try await referrers.expectGroup(of: 1)
            }
            let kept = ["elsewhere", "other", "target", "weak"]
            let isAble = try await world.backend.write(.public) { $0.abilities.referrers != nil }
            let expected = isAble ? kept + ["m3"] : kept + members.map(\.recordID.recordName)
            try expect("The records", try await world.backend.names(), equals: expected.sorted())
        },
        ConformanceRule(
            .storage, "a group says whether others refer to it",
            law:
                "A group whose records are targets of references with a delete rule, in fields or as parents, may be referred to.",
            source: .storage("StorageReferrers.mayBeReferredTo(_:)")
        ) { world in
            try await world.backend.insert(
                [.sample("target")] + (0..<9).map { .referring("m\($0)", to: "target") },
                fields: [StoredField(name: "owner", type: .reference)])
            try await world.backend.write(.public) { transaction in
                guard let referrers = transaction.abilities.referrers else { return }
                let group = try await referrers.expectGroup(of: 9)
                for (number, record) in [
                    StoredRecord.referring("guest", to: "m0"), .referring("guest", to: "m8", .deny),
                    .referring("guest", to: "m4", .nullify), .sample("guest", parent: "m5"),
                ].enumerated() {
                    try expect(try await !referrers.mayBeReferredTo(group), "Nothing refers to the group.")
                    try await transaction.insert([record])
                    try expect(try await referrers.mayBeReferredTo(group), "Record \(number) refers to the group.")
                    try await transaction.remove([.named("guest")])
                }
            }
        },
        ConformanceRule(
            .deleteRules, "a cascade over many records is like one over few",
            law: "However many records go with a deleted one, each is deleted, and each deletion is a change.",
            source: .cloudKit("CKReference.h, CKReferenceActionDeleteSelf")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveMembers(of: ["a", "b"])
            let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            try await database.deleteRecord(withID: .named("a"))
            try expect("The records", try await database.names("Nodes").count, equals: 41)
            let changes = try await database.recordZoneChanges(inZoneWith: .default, since: token)
            try expect("The modifications", changes.modificationResultsByID.count, equals: 0)
            try expect(
                "The deletions", Set(changes.deletions.map(\.recordID.recordName)),
                equals: Set(["a"] + (0..<40).map { "a\($0)" }))
            try await database.saveMembers(of: ["a"])
            try expect("The records saved again", try await database.names("Nodes").count, equals: 82)
        },
        ConformanceRule(
            .deleteRules, "a cascade over many records follows their references",
            law:
                "If others refer to one of many records that a cascade deletes, their delete rules hold.",
            source: .cloudKit("CKReference.h, CKReferenceActionDeleteSelf")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveMembers(of: ["b"])
            for action in [Reference.Action.deleteSelf, .nullify, .deny] {
                try await database.saveMembers(of: ["a"])
                try await database.save(Record("Guests", "guest", ["one": Reference("a39", action)]))
                do {
                    try await database.deleteRecord(withID: .named("a"))
                    try expect(action != .deny, "The deletion was not denied.")
                } catch let error as CabinetError where error.code == .referenceViolation {
                    try expect(action == .deny, "The deletion was denied.")
                }
                let left = try await database.names("Nodes").count
                try expect("The records with \(action)", left, equals: action == .deny ? 82 : 41)
                let guests = try await database.names("Guests")
                try expect("The guests with \(action)", guests, equals: action == .deleteSelf ? [] : ["guest"])
                if action == .nullify {
                    try expect(try await database.fetch("guest")["one"] as Reference? == nil, "The reference was kept.")
                }
                try await database.deleteAll(guests)
            }
        },
        ConformanceRule(
            .subscriptions, "a cascade over many records fires for each",
            law: "A subscription fires for every record that a cascade deletes, however many there are.",
            source: .cloudKit("CKQuerySubscriptionOptionsFiresOnRecordDeletion")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveMembers(of: ["a"])
            try await database.save(
                QuerySubscription(
                    recordType: "Nodes", filter: .constant(true), subscriptionID: "nodes",
                    options: .firesOnRecordDeletion))
            var listener = try await Listener(world)
            try await database.deleteRecord(withID: .named("a"))
            try expect("The notifications", try await listener.notifications().count, equals: 41)
        },
    ]
}

extension StoredRecord {
    /// A record of the type `Samples` that refers to another one of its zone.
    fileprivate static func referring(
        _ name: String, to target: String, _ action: Reference.Action = .deleteSelf,
        in zoneID: RecordZone.ID = .default
    ) -> StoredRecord {
        let target = RecordID(recordName: target, zoneID: zoneID)
        return .sample(name, .reference(Reference(recordID: target, action: action)), field: "owner", in: zoneID)
    }
}

extension StorageReferrers {
    /// Throws unless the records that refer to the record `target` are one group with a number of records; returns it.
    fileprivate func expectGroup(of count: Int) async throws -> ReferrerGroup {
        let groups = try await groups(referringTo: .named("target"))
        let group = ReferrerGroup(
            target: .named("target"), recordType: "Samples", place: .field("owner", action: .deleteSelf), count: count)
        try expect("The groups", groups, equals: [group])
        return group
    }
}

extension StorageTransaction {
    /// Throws unless the first members of a group are deleted, with these numbers, and the others are not.
    fileprivate func expectMembers(_ members: [StoredRecord], deleted numbers: ArraySlice<Int64>) async throws {
        let records = try await load(StorageKeys(records: members.map(\.recordID))).records
        let expected = members.enumerated().map { $0 < numbers.count ? nil : $1 }
        try expect("The records of the group", records, equals: expected)
        let found = try await changes(in: .default, after: 0, limit: 100, of: .deletions)
        let deletions = zip(members, numbers).map { member, number in
            StoredChange.deleted(
                StoredDeletion(
                    recordID: member.recordID, recordType: "Samples", sequenceNumber: number, date: .distantPast))
        }
        try expect("The deletions", found, equals: deletions)
        let sources = try await references(to: [.named("target")]).map(\.source)
        try expect("The sources", Set(sources), equals: Set(members.dropFirst(numbers.count).map(\.recordID)))
    }
}

extension Database {
    /// Saves records, and forty records that each of them owns.
    fileprivate func saveMembers(of owners: [String]) async throws {
        for owner in owners {
            try await saveNodes([owner: nil])
            try await saveNodes(Dictionary(uniqueKeysWithValues: (0..<40).map { ("\(owner)\($0)", owner as String?) }))
        }
    }
}
