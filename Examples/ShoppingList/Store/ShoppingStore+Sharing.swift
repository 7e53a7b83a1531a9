import Cabinet
import CabinetMirror
import Foundation

extension ShoppingStore {
    /// The user's own database, and a zone for each list that another user shares.
    @Sendable func databases() async throws -> [Database] {
        let shared = container.sharedDatabase
        do {
            return [database] + (try await shared.allRecordZones().map { shared.inZone($0.zoneID) })
        } catch let error as CabinetError where container.mirror != nil && error.isFailureOfNetwork {
            // The lists of other users are on the server.
            return [database]
        }
    }

    /// The zone with a record, of the user's own database or of another user.
    func database(with id: RecordID) -> Database {
        let isOwn = id.zoneID.ownerName == RecordZone.ID.defaultOwnerName
        return container.database(with: isOwn ? .private : .shared).inZone(id.zoneID)
    }

    /// The records of a type in the zone of another record.
    func table<Fields: NamedFields, Other: NamedFields>(
        _ type: Fields.Type, with id: Typed<Other>.ID
    ) -> Table<Fields> {
        database(with: id.recordID).table(type)
    }

    /// Shares a list with another user, in a zone of its own.
    ///
    /// - Returns: The list, which may have moved to its zone, and the URL for the other user.
    func share(
        list: List, with userRecordName: String, permission: Share.ParticipantPermission
    ) async throws(ShoppingError) -> (list: List, url: URL?) {
        try await saying(.listNotShared) {
            let list = try await inOwnZone(list)
            let zone = database(with: list.id.recordID)
            var share = try await share(of: list) ?? Share(recordZoneID: list.id.recordID.zoneID)
            share[Share.SystemFieldKey.title] = list.name
            share.addParticipant(Share.Participant(userRecordName: userRecordName, permission: permission))
            return (list, try await zone.save(share).url)
        }
    }

    /// Fetches the share of a list; `nil` if the list is not shared.
    func share(of list: List) async throws -> Share? {
        let id = list.id.recordID
        if id.zoneID == .default { return nil }
        do {
            return try await database(with: id).share(forZoneWith: id.zoneID)
        } catch let error as CabinetError where error.code == .unknownItem {
            return nil
        }
    }

    /// Accepts a list that another user shares.
    func join(_ url: URL) async throws(ShoppingError) -> [List] {
        try await saying(.listNotJoined) {
            let metadata = try await container.shareMetadata(for: url)
            try await container.accept(metadata)
            return try await container.sharedDatabase.inZone(metadata.zoneID).table(Lists.self).all(by: \.byName)
        }
    }

    /// Leaves a list that another user shares.
    func leave(list: List) async throws(ShoppingError) {
        try await saying(.listNotLeft) {
            guard let share = try await share(of: list) else { return }
            try await database(with: share.recordID).deleteRecord(withID: share.recordID)
        }
    }

    /// Moves a list with its items to a zone of its own, because a zone is shared as a whole.
    ///
    /// A record never changes its zone, so copies with the same names replace the records, in one transaction.
    private func inOwnZone(_ list: List) async throws -> List {
        guard list.id.recordID.zoneID == .default else { return list }
        let zoneID = RecordZone.ID(zoneName: "List-\(list.id.recordID.recordName)")
        try await database.save(RecordZone(zoneID: zoneID))
        let moved = try await database.transaction { transaction in
            let current = try await transaction.record(for: list.id.recordID)
            let copy = current.copied(to: zoneID)
            try transaction.save(copy)
            for item in try await transaction.all(Items.self, where: { $0.list == list.id }) {
                var copied = item.record.copied(to: zoneID)
                copied["list"] = Reference(record: copy, action: .deleteSelf)
                try transaction.save(copied)
            }
            try transaction.delete(current.recordID)
            return copy
        }
        return try List(moved)
    }
}

extension Record {
    /// Returns an unsaved record of the same name and fields in another zone.
    fileprivate func copied(to zoneID: RecordZone.ID) -> Record {
        var copy = Record(
            recordType: recordType, recordID: RecordID(recordName: recordID.recordName, zoneID: zoneID))
        for (key, value) in self { copy[key] = value }
        return copy
    }
}

extension CabinetError {
    /// Whether the server was not reached.
    fileprivate var isFailureOfNetwork: Bool {
        [.networkFailure, .networkUnavailable, .serviceUnavailable, .serverResponseLost].contains(code)
    }
}
