/// The decisions of a program about conflicts between its edits and those of others.
package struct MirrorPolicy: Sendable {
    /// Returns the record to keep of two versions that have changed: the conflict's server record, changed or not.
    package var resolve: @Sendable (RecordConflict) throws -> Record

    /// Whether an edit survives the deletion of its record by another client; otherwise, the deletion does.
    package var keepsEdits: Bool

    /// Whether the store remembers the records whose assets it lacks, because they are fetched at once.
    package var fetchesAssets: Bool

    /// Creates a policy.
    package init(
        keepsEdits: Bool, fetchesAssets: Bool = false, resolve: @escaping @Sendable (RecordConflict) throws -> Record
    ) {
        self.keepsEdits = keepsEdits
        self.fetchesAssets = fetchesAssets
        self.resolve = resolve
    }
}
