/// The rights of a participant in the zones that one owner shares, by the shares as they are stored.
///
/// A zone without rights does not exist for the participant.
struct ShareAccess: Sendable, Hashable {
    /// The rights in each zone, by the owner's name for it.
    private(set) var participants: [RecordZone.ID: Share.Participant] = [:]

    /// Adds the rights that a share gives to a user, unless it gives none.
    mutating func add(_ content: ShareContent?, of zoneID: RecordZone.ID, for user: String) {
        guard let participant = content?.participant(user), participant.acceptanceStatus == .accepted,
            participant.role != .owner, [.readOnly, .readWrite].contains(participant.permission)
        else { return }
        participants[zoneID] = participant
    }

    /// Whether the participant may read the records of a zone.
    func canRead(_ zoneID: RecordZone.ID) -> Bool { participants[zoneID] != nil }

    /// Whether the participant may change the share of a zone.
    func canChangeShare(of zoneID: RecordZone.ID) -> Bool {
        participants[zoneID].map { $0.role == .administrator && $0.permission == .readWrite } ?? false
    }

    /// Returns the error if the participant lacks a permission for a record.
    ///
    /// - Parameters:
    ///   - permission: The permission.
    ///   - recordID: The record's ID, by the owner's name for its zone.
    func violation(of permission: Schema.Permission, for recordID: RecordID) -> CabinetError? {
        guard let participant = participants[recordID.zoneID] else {
            return ZoneRule.notFound(recordID.zoneID, in: .shared, recordID: recordID)
        }
        if permission == .read || participant.permission == .readWrite { return nil }
        return CabinetError(
            .permissionFailure,
            "The owner of the zone '\(recordID.zoneID.zoneName)' shares it with \(participant.userRecordName) for reading only.",
            recordID: recordID)
    }

    /// The fingerprint of the records that the participant may read, which changes when the user leaves and accepts again.
    var readAccess: String {
        participants.values.map { $0.acceptanceID ?? "" }.sorted().joined(separator: " ")
    }
}
