/// Which zones there are, and who may make and delete them.
///
/// The default zone is always there, except in the shared database, which has no zones but those that others share. Other zones are
/// made by saving them, in the public database too, where CloudKit has none.
enum ZoneRule {
    /// The error that a zone does not exist.
    static func notFound(
        _ zoneID: RecordZone.ID, in scope: DatabaseScope, recordID: RecordID? = nil
    ) -> CabinetError {
        let message =
            scope == .shared
            ? "The shared database has no zone '\(zoneID)': it has no default zone, and nobody shares a zone of that name."
            : "There is no zone '\(zoneID)' in the \(scope) database. Save the zone first."
        return CabinetError(.zoneNotFound, message, recordID: recordID)
    }

    /// The zones that are not there, of those that a request names.
    ///
    /// - Parameter stored: Whether a zone is there.
    static func missing(
        _ zoneIDs: some Sequence<RecordZone.ID>, in scope: DatabaseScope, stored: (RecordZone.ID) -> Bool
    ) -> Set<RecordZone.ID> {
        if scope == .shared { return Set(zoneIDs) }
        var missing: Set<RecordZone.ID> = []
        for id in zoneIDs where id != .default && !stored(id) { missing.insert(id) }
        return missing
    }

    /// The error if a zone cannot be made, whatever zones there are.
    static func violation(saving zoneID: RecordZone.ID, in scope: DatabaseScope, user: String) -> CabinetError? {
        if scope == .shared {
            return CabinetError(
                .badDatabase, "Zones are made in one's own database; the shared database shows those that others share."
            )
        }
        if zoneID == .default { return nil }
        if let complaint = NameRule.zoneName.complaint(about: zoneID.zoneName) {
            return CabinetError(.invalidArguments, complaint)
        }
        if zoneID.ownerName == RecordZone.ID.defaultOwnerName { return nil }
        return CabinetError(
            .invalidArguments,
            "The zone '\(zoneID)' would belong to \(zoneID.ownerName); a user makes zones of the owner '\(RecordZone.ID.defaultOwnerName)' alone, who is the user."
        )
    }

    /// The error if a zone cannot be deleted.
    ///
    /// - Parameter zone: The zone as it is stored, or `nil` if it is not.
    static func violation(
        deleting zoneID: RecordZone.ID, stored zone: StoredZone?, in scope: DatabaseScope, user: String
    ) -> CabinetError? {
        if zoneID == .default, scope != .shared {
            return CabinetError(
                .invalidArguments,
                "The default zone is always there, and cannot be deleted. Delete its records instead.")
        }
        guard let zone else { return notFound(zoneID, in: scope) }
        guard scope == .public, zone.creatorName != user else { return nil }
        return CabinetError(
            .permissionFailure,
            "In the public database only the zone's creator, \(zone.creatorName), may delete it; the account is \(user)."
        )
    }
}
