/// The way from a zone that a request names to the database with its records.
///
/// The zones of the public and of the private database are in that database. A zone of the shared database is in the private
/// database of the owner, where the rights of the caller are judged by the zone's share.
struct ZoneRoute: Sendable, Hashable {
    /// The database with the records of the zone.
    let database: DatabaseKey

    /// The owner of a zone that another user shares; `nil` for the caller's own databases.
    let owner: String?

    /// The way to the zones of a database that is the caller's own, or everyone's.
    init(to database: DatabaseKey) {
        self.database = database
        owner = nil
    }

    /// The way to a zone of the shared database.
    ///
    /// - Parameters:
    ///   - zoneID: The zone, with the owner's name.
    ///   - caller: The user that has sent the request.
    /// - Returns: `nil` if no other user can own such a zone.
    init?(toShared zoneID: RecordZone.ID, for caller: String) {
        let owner = zoneID.ownerName
        guard !zoneID.namesOwner(caller), NameGrammar.userRecordName.allows(owner),
            !owner.hasSameScalars(as: RecordZone.ID.defaultOwnerName),
            !zoneID.zoneName.hasSameScalars(as: RecordZone.ID.defaultZoneName)
        else { return nil }
        database = .private(owner: owner)
        self.owner = owner
    }

    /// The rule that translates IDs to those that the database has.
    func ownerRule(of caller: String?) -> OwnerRule { OwnerRule(user: owner ?? caller) }

    /// Returns an ID of the database as the caller names it.
    func callerID(_ zoneID: RecordZone.ID) -> RecordZone.ID {
        guard let owner, zoneID.ownerName.hasSameScalars(as: RecordZone.ID.defaultOwnerName) else { return zoneID }
        return RecordZone.ID(zoneName: zoneID.zoneName, ownerName: owner)
    }

    /// Returns an ID of the database as the caller names it.
    func callerID(_ recordID: RecordID) -> RecordID {
        owner == nil ? recordID : RecordID(recordName: recordID.recordName, zoneID: callerID(recordID.zoneID))
    }
}
