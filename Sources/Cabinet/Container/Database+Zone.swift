extension Database {
    /// Returns this database limited to the records of one zone.
    ///
    /// ```swift
    /// let travel = database.inZone(zone.zoneID)
    /// var trip = travel.makeRecord("Trips")
    /// trip["name"] = "Lisbon"
    /// try await travel.save(trip)
    /// let trips = try await travel.allRecords(matching: Query(recordType: "Trips"))
    /// ```
    ///
    /// - Queries, counts, aggregates and live queries that name no zone use this zone.
    /// - ``makeRecord(_:named:)`` and ``recordID(named:)`` return records and IDs of this zone.
    /// - A request that names a record or a query of another zone, the default zone included, throws
    ///   ``CabinetError/Code/invalidArguments``, and nothing is changed. IDs are never moved to the zone: a record
    ///   saved as `Record(recordType: "Trips")` has an ID in the default zone and is refused.
    ///
    /// The functions for zones, subscriptions, the schema and ``databaseChanges(since:resultsLimit:)`` work on the
    /// whole database.
    ///
    /// - Parameter zoneID: The zone, which need not exist yet.
    public func inZone(_ zoneID: RecordZone.ID) -> Database {
        var database = self
        database.zoneID = zoneID
        return database
    }

    /// Returns the ID of a record in this database's zone, or in the default zone without ``inZone(_:)``.
    ///
    /// - Parameter recordName: The record's name. The default is a new one, as in
    ///   ``RecordID/init(recordName:zoneID:)``.
    public func recordID(named recordName: String = RecordID.uniqueRecordName()) -> RecordID {
        RecordID(recordName: recordName, zoneID: zoneID ?? .default)
    }

    /// Creates an unsaved record in this database's zone, or in the default zone without ``inZone(_:)``.
    ///
    /// - Parameters:
    ///   - recordType: The name of the record's type.
    ///   - recordName: The record's name. The default is a new one, as in ``RecordID/init(recordName:zoneID:)``.
    public func makeRecord(
        _ recordType: Record.RecordType, named recordName: String = RecordID.uniqueRecordName()
    ) -> Record {
        Record(recordType: recordType, recordID: recordID(named: recordName))
    }

    /// Returns the zone of a request: the one that it names, or else that of ``inZone(_:)``.
    func zone(_ requested: RecordZone.ID?) throws(CabinetError) -> RecordZone.ID? {
        if let requested, let violation = zoneViolation(requested) { throw violation }
        return requested ?? zoneID
    }

    /// Throws if a record is in another zone than that of ``inZone(_:)``.
    func checkZones(of recordIDs: some Sequence<RecordID>) throws(CabinetError) {
        if zoneID == nil { return }
        for recordID in recordIDs {
            if let violation = zoneViolation(recordID.zoneID, recordID) { throw violation }
        }
    }

    /// Returns the error of a request that names another zone than that of ``inZone(_:)``.
    func zoneViolation(_ requested: RecordZone.ID, _ recordID: RecordID? = nil) -> CabinetError? {
        guard let zoneID, requested != zoneID else { return nil }
        let owner = OwnerRule(user: client.userRecordName)
        if owner.canonical(requested) == owner.canonical(zoneID) { return nil }
        let subject = recordID.map { "The record '\($0.recordName)' is in" } ?? "The request names"
        let advice =
            recordID == nil
            ? "Leave the zone out, or ask the database without inZone(_:)."
            : "Make new records with makeRecord(_:named:) and IDs with recordID(named:), or use the database without inZone(_:)."
        return CabinetError(
            .invalidArguments,
            "\(subject) the zone '\(requested)', and this database is limited to the zone '\(zoneID)'. \(advice)",
            recordID: recordID)
    }
}
