package import Cabinet

/// A row of a statement's result.
package protocol SQLRow {
    /// Returns the integer in a column; `nil` for NULL and other values.
    func integer(_ column: Int) -> Int64?

    /// Returns the value in a column, of a type that SQL compares.
    ///
    /// - Parameter zoneID: The zone of the records that references point to.
    func value(_ column: Int, of type: FieldType, in zoneID: RecordZone.ID) throws -> FieldValue?

    /// Returns the error for a damaged row.
    func damaged(_ description: String) -> CabinetError
}
