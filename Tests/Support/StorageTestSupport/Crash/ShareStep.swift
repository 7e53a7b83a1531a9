package import Cabinet

/// The life of a share of a hierarchy, request by request; a share is accepted and left in the databases of two users.
package enum ShareStep: String, Sendable, CaseIterable {
    case records, share, accept, move, back, leave, again, unshare

    private static let zoneID = RecordZone.ID(zoneName: "Lists")
    private static let sharedID = RecordZone.ID(zoneName: "Lists", ownerName: "_anna")

    /// Makes the request.
    package func perform(_ users: ShareUsers) async throws {
        let own = users.owner.privateDatabase
        switch self {
        case .records:
            try await own.save(RecordZone(zoneID: Self.zoneID))
            let part = (1...5).map { Self.record("item-\($0)", in: "part") }
            _ = try await own.modifyRecords(
                saving: [Self.record("list"), Self.record("other"), Self.record("part", in: "list")] + part,
                deleting: [])
        case .share:
            let root = try await own.record(for: Self.id("list"))
            var share = Share(rootRecord: root, shareID: Self.id("share"))
            share.addParticipant(Share.Participant(userRecordName: "_ben", permission: .readWrite))
            _ = try await own.modifyRecords(saving: [root, share.record], deleting: [])
        case .accept, .again:
            if self == .again {
                var share = try Share(try await own.record(for: Self.id("share")))
                share.addParticipant(Share.Participant(userRecordName: "_ben", permission: .readWrite))
                try await own.save(share)
            }
            guard let url = try Share(try await own.record(for: Self.id("share"))).url else { return }
            _ = try await users.participant.accept(try await users.participant.shareMetadata(for: url))
        case .move, .back:
            var part = try await own.record(for: Self.id("part"))
            part.setParent(RecordID(recordName: self == .move ? "other" : "list", zoneID: Self.zoneID))
            try await own.save(part)
        case .leave:
            let id = RecordID(recordName: "share", zoneID: Self.sharedID)
            try await users.participant.sharedDatabase.deleteRecord(withID: id)
        case .unshare: try await own.deleteRecord(withID: Self.id("share"))
        }
    }

    private static func id(_ name: String) -> RecordID { RecordID(recordName: name, zoneID: zoneID) }

    private static func record(_ name: String, in parent: String? = nil) -> Record {
        var record = Record(recordType: "Items", recordID: id(name))
        record["name"] = name
        if let parent { record.setParent(id(parent)) }
        return record
    }
}

/// The containers of two users of one store.
package struct ShareUsers: Sendable {
    package let owner: Container
    package let participant: Container

    package init(_ backend: any StorageBackend) throws {
        owner = try Container(
            identifier: "org.cabinet.crash", backend: backend, account: Account(userRecordName: "_anna"))
        participant = try Container(
            identifier: "org.cabinet.crash", backend: backend, account: Account(userRecordName: "_ben"))
    }

    /// The names of the records that the participant reads, with those of the owner that have a share.
    package func content() async throws -> [String] {
        var names: [String] = []
        for zone in try await participant.sharedDatabase.allRecordZones() {
            let query = Query(recordType: "Items", sortedBy: ["name"])
            for record in try await participant.sharedDatabase.allRecords(matching: query, inZoneWith: zone.zoneID) {
                names.append(record.recordID.recordName)
            }
        }
        for zone in try await owner.privateDatabase.allRecordZones() where zone.zoneID != .default {
            let changes = try await owner.privateDatabase.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
            for case .success(let modification) in changes.modificationResultsByID.values {
                let record = modification.record
                names.append("own \(record.recordID.recordName) \(record.share == nil ? "" : "shared")")
            }
        }
        return names.sorted()
    }

    package func close() async {
        await owner.close()
        await participant.close()
    }
}
