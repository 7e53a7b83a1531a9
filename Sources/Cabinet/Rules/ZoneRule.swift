/// The rules of the existence, creation and deletion of zones.
///
/// The default zone always exists, except in the shared database, which has only zones that other users share. Saving a zone
/// creates it, also in the public database, where CloudKit has none.
enum ZoneRule {
    /// Returns the error for a zone that does not exist.
    ///
    /// - Parameter isDeleted: Whether the request would delete the zone, so that saving it first is of no use.
    static func notFound(
        _ zoneID: RecordZone.ID, in scope: DatabaseScope, recordID: RecordID? = nil, isDeleted: Bool = false
    ) -> CabinetError {
        let message =
            scope == .shared
            ? "The shared database has no zone '\(zoneID)': it has no default zone, and no other user shares a zone with this name."
            : "There is no zone '\(zoneID)' in the \(scope) database."
                + (isDeleted ? "" : " Save the zone first.")
        return CabinetError(.zoneNotFound, message, recordID: recordID)
    }

    /// Returns the zones of a request that do not exist.
    ///
    /// - Parameter stored: Whether a zone is stored.
    static func missing(
        _ zoneIDs: some Sequence<RecordZone.ID>, stored: (RecordZone.ID) -> Bool
    ) -> Set<RecordZone.ID> {
        var missing: Set<RecordZone.ID> = []
        for id in zoneIDs where id != .default && !stored(id) { missing.insert(id) }
        return missing
    }

    /// Returns the error if a zone cannot be created, in any state of the database.
    ///
    /// - Parameter isCopy: Whether the zone is the local copy of a server's, which may belong to another user.
    static func violation(
        saving zoneID: RecordZone.ID, in scope: DatabaseScope, user: String, isCopy: Bool = false
    ) -> CabinetError? {
        if scope == .shared {
            return CabinetError(
                .badDatabase,
                "A zone is created in the user's own database; the shared database has only the zones that other users share."
            )
        }
        if zoneID == .default { return nil }
        if let violation = NameRule.zoneName.violation(in: zoneID.zoneName) { return violation }
        if isCopy || zoneID.ownerName == RecordZone.ID.defaultOwnerName { return nil }
        return CabinetError(
            .invalidArguments,
            "The zone '\(zoneID)' would belong to \(zoneID.ownerName), but users can create only zones of their own. Use the owner '\(RecordZone.ID.defaultOwnerName)'."
        )
    }

    /// Returns the error if a zone cannot be deleted.
    ///
    /// - Parameter zone: The stored zone, or `nil` if it does not exist.
    static func violation(
        deleting zoneID: RecordZone.ID, stored zone: StoredZone?, in scope: DatabaseScope, user: String
    ) -> CabinetError? {
        if zoneID == .default, scope != .shared {
            return CabinetError(
                .invalidArguments,
                "The default zone always exists, and cannot be deleted. Delete its records instead.")
        }
        guard let zone else { return notFound(zoneID, in: scope, isDeleted: true) }
        guard scope == .public, zone.creatorName != user else { return nil }
        return CabinetError(
            .permissionFailure,
            "In the public database only the zone's creator, \(zone.creatorName), may delete it; the account is \(user)."
        )
    }
}
