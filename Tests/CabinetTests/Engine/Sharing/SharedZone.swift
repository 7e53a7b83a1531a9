import Cabinet

/// A zone that a user shares, under the names of the user and of participants.
struct SharedZone {
    static let zoneID = RecordZone.ID(zoneName: "Lists")

    /// The ID of a record as its owner names it.
    static func own(_ name: String) -> RecordID { RecordID(recordName: name, zoneID: zoneID) }

    /// The ID of a record as participants name it.
    static func shared(_ name: String, of owner: String) -> RecordID {
        RecordID(recordName: name, zoneID: RecordZone.ID(zoneName: "Lists", ownerName: owner))
    }

    /// Returns the container of a user.
    static func container(of user: String, _ service: LocalDatabaseService) throws -> Container {
        try Container(identifier: "com.example.lists", service: service, account: Account(userRecordName: user))
    }

    /// Creates a user's zone, and shares it with another user, who accepts.
    static func share(_ owner: Container, with user: Container, _ permission: Share.ParticipantPermission) async throws
    {
        try await owner.privateDatabase.save(RecordZone(zoneID: zoneID))
        var share = Share(recordZoneID: zoneID)
        let name = try await user.userRecordID().recordName
        share.addParticipant(Share.Participant(userRecordName: name, permission: permission))
        share = try await owner.privateDatabase.save(share)
        try await accept(share, by: user)
    }

    /// Accepts a share by its URL.
    static func accept(_ share: Share, by user: Container) async throws {
        guard let url = share.url else { return }
        try await user.accept(try await user.shareMetadata(for: url))
    }
}
