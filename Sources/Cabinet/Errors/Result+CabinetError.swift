extension Result where Failure == CabinetError {
    /// The kind of failure; `nil` if the item succeeded.
    ///
    /// ```swift
    /// let results = try await database.modifyRecords(
    ///     saving: items, deleting: [], atomically: false
    /// ).saveResults
    /// let conflicts = results.filter { $0.value.code == .serverRecordChanged }
    /// ```
    public var code: CabinetError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}

extension Result where Success == Record, Failure == CabinetError {
    /// The record; `nil` if the item failed.
    public var record: Record? { try? get() }
}
