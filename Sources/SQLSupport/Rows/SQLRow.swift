package import Cabinet
package import Foundation

/// A row of a statement's result.
package protocol SQLRow {
    /// Returns the integer in a column; `nil` for NULL and other values.
    func integer(_ column: Int) -> Int64?

    /// Returns the date in a column; `nil` for NULL and other values.
    func date(_ column: Int) -> Date?

    /// Returns the bytes of the text in a column, valid as long as the row; `nil` for NULL and other values.
    func textBytes(_ column: Int) -> UnsafeBufferPointer<UInt8>?

    /// Decodes the bytes of a text; returns `nil` if they are invalid.
    static func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String?

    func isNull(_ column: Int) -> Bool

    /// Returns the value in a column, of a type that SQL compares.
    ///
    /// - Parameter zoneID: The zone of the records that references point to.
    func value(_ column: Int, of type: FieldType, in zoneID: RecordZone.ID) throws -> FieldValue?

    /// Returns the error for a damaged row.
    func damaged(_ description: String) -> CabinetError
}
