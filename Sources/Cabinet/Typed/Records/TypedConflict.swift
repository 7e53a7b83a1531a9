/// The three versions of a record in a conflict, as typed records.
public struct TypedConflict<Fields: RecordFields>: Sendable, Hashable {
    /// The record that the program tried to save.
    public let client: Typed<Fields>

    /// The record that the server has now; change it and return it.
    public let server: Typed<Fields>

    /// The record that the client's changes began with, or `nil` if the program never fetched it.
    public let ancestor: Typed<Fields>?

    init(_ conflict: RecordConflict, layout: RecordLayout<Fields>) throws(CabinetError) {
        client = try Typed(conflict.clientRecord, layout: layout)
        server = try Typed(conflict.serverRecord, layout: layout)
        ancestor = conflict.ancestorRecord.map { Typed(checked: $0, layout: layout) }
    }

    /// Creates a conflict from an untyped one, such as that of an error.
    ///
    /// - Parameter conflict: The conflict of records of the declared type.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the records are of another type.
    public init(_ conflict: RecordConflict) throws(CabinetError) {
        try self.init(conflict, layout: .shared())
    }
}
