import Cabinet

/// A request to one database, which a mirror can send to the local copy of it.
protocol DatabaseRequest: ServiceRequest {
    /// The database.
    var scope: DatabaseScope { get set }
}

extension FetchRecordsRequest: DatabaseRequest {}
extension ModifyRecordsRequest: DatabaseRequest {}
extension QueryRecordsRequest: DatabaseRequest {}
extension AggregateRequest: DatabaseRequest {}
extension ExplainQueryRequest: DatabaseRequest {}
extension ValidateQueryRequest: DatabaseRequest {}
extension FetchLiveChangesRequest: DatabaseRequest {}
extension FetchSchemaRequest: DatabaseRequest {}
extension FetchMigrationsRequest: DatabaseRequest {}
extension FetchZonesRequest: DatabaseRequest {}
extension ModifyZonesRequest: DatabaseRequest {}
extension FetchDatabaseChangesRequest: DatabaseRequest {}
extension FetchZoneChangesRequest: DatabaseRequest {}
extension FetchSubscriptionsRequest: DatabaseRequest {}
extension ModifySubscriptionsRequest: DatabaseRequest {}
extension FetchNotificationsRequest: DatabaseRequest {}
extension FindAssetsRequest: DatabaseRequest {}
extension BeginUploadRequest: DatabaseRequest {}

extension MirrorContext {
    /// Whether the local copy has the records of a type, as far as they belong to the selection.
    func has(_ recordType: Record.RecordType, in zoneID: RecordZone.ID?) -> Bool {
        if scope != .public { return true }
        return configuration.selection.publicRecords[recordType] != nil && zoneID ?? .default == .default
    }

    /// Whether a record of the server belongs to the selection.
    func includes(_ record: Record) -> Bool {
        let selection = configuration.selection
        return scope == .public ? selection.includesPublic(record) : selection.includes(record)
    }

    /// Whether a zone is one of the user, which the shared database does not have.
    func isOwn(_ zoneID: RecordZone.ID) -> Bool {
        zoneID.ownerName == RecordZone.ID.defaultOwnerName || zoneID.ownerName == remote.caller.account?.userRecordName
    }

    static let notShared =
        "The shared database has no such zone: it has no default zone, and no other user is known to share a zone with this name."

    /// Returns the error for a zone that no other user shares.
    func notShared(_ zoneID: RecordZone.ID, _ recordID: RecordID? = nil) -> CabinetError {
        CabinetError(.zoneNotFound, "\(Self.notShared) The zone is '\(zoneID)'.", recordID: recordID)
    }
}
