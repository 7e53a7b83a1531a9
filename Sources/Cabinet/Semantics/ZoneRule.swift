/// Which zones there are.
///
/// The default zone is always there, except in the shared database, which has no zones but those that others share.
enum ZoneRule {
    /// The error if a zone does not exist in a database.
    static func violation(
        zone zoneID: RecordZone.ID, in scope: Database.Scope, recordID: RecordID? = nil
    ) -> CabinetError? {
        if scope == .shared {
            return CabinetError(
                .zoneNotFound,
                "The shared database has no zone '\(zoneID)': it has no default zone, and nobody shares a zone of that name.",
                recordID: recordID)
        }
        if zoneID == .default { return nil }
        return CabinetError(.zoneNotFound, "There is no zone '\(zoneID)' in the \(scope) database.", recordID: recordID)
    }
}
