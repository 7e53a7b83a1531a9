package import Cabinet

/// The fields to read, and their columns.
package struct FieldSelection: Sendable {
    /// The columns, in the order of the fields; `nil` for a field without one.
    package let columns: [SQLColumn?]
    /// The fields' names.
    package let names: FieldNames
    /// Whether all fields are read.
    package let isComplete: Bool

    /// Creates a selection.
    ///
    /// - Parameters:
    ///   - keys: The fields to read; `nil` for all.
    ///   - fields: The columns of the table.
    package init(_ keys: [Record.FieldKey]?, of fields: FieldColumns) {
        columns = keys.map { $0.map { fields[$0] } } ?? fields.columns
        names = keys.map { FieldNames($0) } ?? fields.names
        isComplete = keys == nil
    }

    /// The quoted columns that a statement selects.
    package var quoted: [String] { columns.flatMap { $0?.allQuoted ?? [] } }
}
