extension StorageSnapshot {
    /// Finds none.
    public func damages(limit: Int) async throws -> [StoredDamage] { [] }
}

extension StorageTransaction {
    /// Does nothing: what a simple store makes of its records always agrees with them.
    public func rebuildIndexes() async throws {}
}
