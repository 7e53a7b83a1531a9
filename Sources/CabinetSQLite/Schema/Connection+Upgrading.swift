import SQLSupport

extension Connection {
    /// Brings a file of an earlier layout to the current one, in the current write transaction.
    ///
    /// - In layout 7, the index by the last change has all rows of a table.
    /// - Up to layout 8, the full-text indexes have no marks, see ``IndexedWords``.
    ///
    /// - Complexity: in the number of the file's records, once.
    func upgradeLayout() throws {
        guard catalog.layout < Layout.version else { return }
        for table in catalog.tables {
            if catalog.layout < 8 {
                let index = table.changeIndex
                try handle.execute("DROP INDEX IF EXISTS \(SQLName.quoted(index.name))")
                try create(index)
            }
            if table.words != nil { try rebuildSearchIndexes(of: table) }
        }
        // A program that has the file open reads its layout again only if the version of the schema has changed.
        let version = try number("PRAGMA schema_version") ?? 0
        try handle.execute("PRAGMA user_version = \(Layout.version); PRAGMA schema_version = \(version + 1)")
        catalog.layout = Layout.version
        // The version is read again before the commit, so that other processes see the change of the indexes.
        catalog.version = -1
        tableStatements = [:]
    }
}
