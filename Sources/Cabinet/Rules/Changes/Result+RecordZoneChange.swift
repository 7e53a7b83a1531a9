extension Result where Success == RecordZoneChange.Modification, Failure == CabinetError {
    /// The record that was saved; `nil` if the item failed.
    public var record: Record? { try? get().record }
}
