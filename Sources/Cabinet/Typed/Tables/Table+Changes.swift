extension Table {
    /// Fetches the table's changes in a zone since a token.
    ///
    /// The page is one of ``Database/recordZoneChanges(inZoneWith:since:desiredKeys:resultsLimit:)``, with the records of this type
    /// alone. A program with several tables fetches each zone once, with that call, and uses `typed(as:)`.
    ///
    /// Records of other types are left out, also one that has the name of a deleted record of this type: a store reports the last
    /// change of each name alone. Where types share names, use that call, which returns such a record with its new type.
    ///
    /// - Parameters:
    ///   - zoneID: The zone.
    ///   - changeToken: The token of the last page, or `nil` for all records.
    ///   - resultsLimit: The maximum number of changes of all types; the store decides by default.
    /// - Returns: The saved records, the IDs of the deleted ones, the token for the next page, and whether there is one.
    /// - Throws: The errors of ``Database/recordZoneChanges(inZoneWith:since:desiredKeys:resultsLimit:)``.
    public func changes(
        inZoneWith zoneID: RecordZone.ID, since changeToken: ServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> (
        modifications: [Typed<Fields>], deletions: [TypedID<Fields>], changeToken: ServerChangeToken, moreComing: Bool
    ) {
        let page = try await database.recordZoneChangePage(
            inZoneWith: zoneID, since: changeToken, desiredKeys: nil, resultsLimit: resultsLimit)
        let deletions = page.deletions.filter { $0.recordType.hasSameScalars(as: Fields.recordType) }
        return (
            page.modifications.map(\.record).typed(as: Fields.self), deletions.map { TypedID($0.recordID) },
            page.changeToken, page.moreComing
        )
    }
}
