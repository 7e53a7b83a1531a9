public import Cabinet

extension JSONLinesBackend {
    /// Signals at once after each write; nobody else writes the file.
    public nonisolated func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        signals.signals(of: database)
    }

    /// Lists the databases that the file tells of.
    public func databases() throws -> [DatabaseKey] {
        try checkIsOpen()
        return Array(contents.keys)
    }
}
