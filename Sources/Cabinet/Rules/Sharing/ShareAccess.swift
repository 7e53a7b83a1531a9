import Foundation

/// The rights of a participant in what one owner shares, by the shares as they are stored.
///
/// A zone without rights does not exist for the participant, nor does a record that none of the participant's shares covers.
struct ShareAccess: Sendable, Hashable {
    /// The rights in whole zones, by the owner's names for them.
    private var zones: [RecordZone.ID: Share.Participant] = [:]
    /// The rights in hierarchies, by the zones and the names of the shares.
    private var hierarchies: [RecordZone.ID: [String: Share.Participant]] = [:]

    /// Whether the participant has no rights.
    var isEmpty: Bool { zones.isEmpty && hierarchies.isEmpty }

    /// Adds the rights that a share gives to a participant, unless it gives none.
    mutating func add(_ participant: Share.Participant?, by shareID: RecordID) {
        guard let participant, participant.canRead else { return }
        if ShareRule.isZoneWide(shareID) {
            zones[shareID.zoneID] = participant
        } else {
            hierarchies[shareID.zoneID, default: [:]][shareID.recordName] = participant
        }
    }

    /// Adds the rights in other zones.
    mutating func merge(_ other: ShareAccess) {
        zones.merge(other.zones) { $1 }
        hierarchies.merge(other.hierarchies) { $1 }
    }
}

extension Share.Participant {
    /// Whether the user, who is not the owner, sees the records of the share.
    var canRead: Bool {
        acceptanceStatus == .accepted && role != .owner && [.readOnly, .readWrite].contains(permission)
    }
}

extension ShareAccess {
    /// Whether the participant may read records of a zone.
    func canRead(_ zoneID: RecordZone.ID) -> Bool { zones[zoneID] != nil || hierarchies[zoneID] != nil }

    /// The names of the shares that limit what the participant sees in a zone; `nil` if the whole zone is shared.
    func shareNames(in zoneID: RecordZone.ID) -> Set<String>? {
        zones[zoneID] == nil ? Set((hierarchies[zoneID] ?? [:]).keys) : nil
    }

    /// Whether the participant sees only a part of some zone.
    var isPartial: Bool { !hierarchies.isEmpty }

    /// Whether a record is a share that the participant has accepted.
    func hasShare(_ recordID: RecordID) -> Bool {
        ShareRule.isZoneWide(recordID)
            ? zones[recordID.zoneID] != nil : hierarchies[recordID.zoneID]?[recordID.recordName] != nil
    }

    /// Returns the rights by the share that covers a record of a zone.
    func participant(inShare name: String?, of zoneID: RecordZone.ID) -> Share.Participant? {
        zones[zoneID] ?? name.flatMap { hierarchies[zoneID]?[$0] }
    }

    /// Whether the participant sees a stored record.
    func canRead(_ record: StoredRecord) -> Bool { participant(of: record) != nil }

    /// Whether the participant changes and deletes a stored record.
    func canWrite(_ record: StoredRecord) -> Bool { participant(of: record)?.permission == .readWrite }

    private func participant(of record: StoredRecord) -> Share.Participant? {
        participant(inShare: record.shareName, of: record.recordID.zoneID)
    }

    /// Whether the participant may change a share.
    func canChangeShare(_ recordID: RecordID) -> Bool {
        participant(inShare: recordID.recordName, of: recordID.zoneID)
            .map { $0.role == .administrator && $0.permission == .readWrite } ?? false
    }

    /// Returns the error if the participant lacks a permission for a stored record.
    func violation(of permission: Schema.Permission, for record: StoredRecord) -> CabinetError? {
        let id = record.recordID
        guard canRead(id.zoneID) else { return ZoneRule.notFound(id.zoneID, in: .shared, recordID: id) }
        guard let participant = participant(of: record) else {
            return CabinetError(.unknownItem, "There is no such record in the shared database.", recordID: id)
        }
        if permission == .read || participant.permission == .readWrite { return nil }
        return readOnly(id, participant.userRecordName)
    }

    /// Returns the error if the participant lacks a permission for every record of the zone in which one is to be.
    func violation(of permission: Schema.Permission, inZoneOf recordID: RecordID) -> CabinetError? {
        let zoneID = recordID.zoneID
        guard canRead(zoneID) else { return ZoneRule.notFound(zoneID, in: .shared, recordID: recordID) }
        if permission == .read { return nil }
        let participants = zones[zoneID].map { [$0] } ?? Array((hierarchies[zoneID] ?? [:]).values)
        if participants.contains(where: { $0.permission == .readWrite }) { return nil }
        return readOnly(recordID, participants.first?.userRecordName ?? "the user")
    }

    /// Returns the error of a participant that may read only.
    func readOnly(_ recordID: RecordID, _ user: String) -> CabinetError {
        CabinetError(
            .permissionFailure,
            "The owner of the zone '\(recordID.zoneID.zoneName)' shares it with \(user) for reading only.",
            recordID: recordID)
    }

    /// The fingerprint of the records that the participant may read, which changes when the user leaves, or accepts a share.
    var readAccess: String {
        let all = zones.values.map(\.self) + hierarchies.values.flatMap(\.values)
        let acceptances = all.map { $0.acceptanceID ?? "" }.sorted().joined(separator: " ")
        return all.count == 1 ? acceptances : Asset.Checksum(of: Data(acceptances.utf8)).fingerprint
    }
}
