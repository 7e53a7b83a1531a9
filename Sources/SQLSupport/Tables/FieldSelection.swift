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

    /// Returns a description of each field and its position in a row.
    ///
    /// - Parameters:
    ///   - start: The number of the row's columns before those of the fields.
    ///   - slot: Returns the description for a field's column and position.
    /// - Returns: The descriptions, and the number of the row's columns.
    @inlinable
    package func slots<Slot>(from start: Int, _ slot: (SQLColumn?, Int) -> Slot) -> (slots: [Slot], end: Int) {
        var end = start
        let slots = columns.map { column in
            defer { end += column.map { $0.quotedAction == nil ? 1 : 2 } ?? 0 }
            return slot(column, end)
        }
        return (slots, end)
    }
}
