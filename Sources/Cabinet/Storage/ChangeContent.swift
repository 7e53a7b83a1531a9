/// The part of a zone's changes to read.
public enum ChangeContent: Sendable, Hashable {
    /// Saved records with the fields that are named, or with all if `nil`, and deletions.
    case all(fields: [Record.FieldKey]?)

    /// Deletions only.
    case deletions
}
