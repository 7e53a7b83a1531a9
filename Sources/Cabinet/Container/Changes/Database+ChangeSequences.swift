extension Database {
    /// Returns a sequence of a zone's changes since a token, which fetches them page by page.
    ///
    /// ```swift
    /// let pages = database.recordZoneChangeSequence(
    ///     inZoneWith: zoneID, since: token)
    /// for try await page in pages {
    ///     for change in page.modifications {
    ///         cache[change.record.recordID] = change.record
    ///     }
    ///     for change in page.deletions { cache[change.recordID] = nil }
    ///     token = page.changeToken
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - zoneID: The zone.
    ///   - changeToken: The token of the last page, or `nil` to begin.
    ///   - desiredKeys: The fields to fetch, or `nil` for all. An empty array fetches no fields.
    ///   - pageSize: The maximum number of changes on a page, or `nil` to let the service decide.
    public func recordZoneChangeSequence(
        inZoneWith zoneID: RecordZone.ID, since changeToken: ServerChangeToken?,
        desiredKeys: [Record.FieldKey]? = nil, pageSize: Int? = nil
    ) -> RecordZoneChangeSequence {
        RecordZoneChangeSequence(
            database: self, zoneID: zoneID, changeToken: changeToken, desiredKeys: desiredKeys, pageSize: pageSize)
    }

    /// Returns a sequence of the database's changes since a token, which fetches them page by page.
    ///
    /// - Parameters:
    ///   - changeToken: The token of the last page, or `nil` to begin.
    ///   - pageSize: The maximum number of zones on a page, or `nil` to let the service decide.
    public func databaseChangeSequence(
        since changeToken: ServerChangeToken?, pageSize: Int? = nil
    ) -> DatabaseChangeSequence {
        DatabaseChangeSequence(database: self, changeToken: changeToken, pageSize: pageSize)
    }
}
