extension Database {
    /// The changes of a zone since a token, fetched page by page while they are iterated over.
    ///
    /// ```swift
    /// for try await page in database.recordZoneChangeSequence(inZoneWith: zoneID, since: token) {
    ///     for change in page.modifications { cache[change.record.recordID] = change.record }
    ///     for change in page.deletions { cache[change.recordID] = nil }
    ///     token = page.changeToken
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - zoneID: The zone.
    ///   - changeToken: The token of the last page, or `nil` to begin.
    ///   - desiredKeys: The fields to fetch, or `nil` for all. An empty array fetches no fields.
    ///   - pageSize: The most changes on a page; `nil` leaves it to the service.
    public func recordZoneChangeSequence(
        inZoneWith zoneID: RecordZone.ID, since changeToken: ServerChangeToken?,
        desiredKeys: [Record.FieldKey]? = nil, pageSize: Int? = nil
    ) -> RecordZoneChangeSequence {
        RecordZoneChangeSequence(
            database: self, zoneID: zoneID, changeToken: changeToken, desiredKeys: desiredKeys, pageSize: pageSize)
    }

    /// The changes of the database since a token, fetched page by page while they are iterated over.
    ///
    /// - Parameters:
    ///   - changeToken: The token of the last page, or `nil` to begin.
    ///   - pageSize: The most zones on a page; `nil` leaves it to the service.
    public func databaseChangeSequence(
        since changeToken: ServerChangeToken?, pageSize: Int? = nil
    ) -> DatabaseChangeSequence {
        DatabaseChangeSequence(database: self, changeToken: changeToken, pageSize: pageSize)
    }
}
