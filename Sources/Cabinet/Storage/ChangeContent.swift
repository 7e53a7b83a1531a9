/// What to read of a zone's changes.
public enum ChangeContent: Sendable, Hashable {
    /// Saved records with the fields that are named, or with all if `nil`, and deletions.
    case all(fields: [Record.FieldKey]?)

    /// Deletions only.
    case deletions
}
