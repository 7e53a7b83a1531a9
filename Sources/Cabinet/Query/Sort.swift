/// A key to sort a query's records by.
///
/// Nil comes first when ascending. Text is ordered by Unicode scalars, references by record name, bytes byte by byte. Records
/// whose keys are all equal are ordered by record name, always ascending.
public struct Sort: Sendable, Hashable, Codable {
    /// The field, or system field, to sort by.
    public let key: Record.FieldKey

    /// Whether smaller values come first.
    public let ascending: Bool

    /// Creates a sort key.
    ///
    /// - Parameters:
    ///   - key: A field of the queried type, or a system field such as `creationDate`.
    ///   - ascending: Whether smaller values come first.
    public init(_ key: Record.FieldKey, ascending: Bool = true) {
        self.key = key
        self.ascending = ascending
    }
}
