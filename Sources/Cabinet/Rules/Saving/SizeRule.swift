/// The limit of a record's size.
enum SizeRule {
    /// Returns the error if a record, as it will be stored, exceeds the limits.
    static func violation(of record: StoredRecord, limits: Limits) -> CabinetError? {
        guard let limit = limits.bytesPerRecord else { return nil }
        let size = record.fields.visible.byteCount
        guard size > limit else { return nil }
        return CabinetError(
            .limitExceeded, "The record takes \(size) bytes; the limit is \(limit).", recordID: record.recordID)
    }
}
