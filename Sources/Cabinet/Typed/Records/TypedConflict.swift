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

extension TypedConflict {
    /// Returns the server's record with the changes of both clients, field by field.
    ///
    /// ```swift
    /// milk = try await items.save(milk) { conflict in
    ///     var item = try conflict.merged(whenBothChanged: .server)
    ///     if try conflict.haveBothChanged(\.number) {
    ///         item.number = max(item.number, conflict.client.number)
    ///     }
    ///     return item
    /// }
    /// ```
    ///
    /// - Parameter preference: The version that wins where both clients have changed a field.
    /// - Throws: ``CabinetError/Code/serverRecordChanged`` if the preference is ``ConflictResolver/FieldPreference/fail`` and both have
    ///   changed a field.
    public func merged(whenBothChanged preference: ConflictResolver.FieldPreference) throws -> Typed<Fields> {
        let record = try ConflictResolver.fieldwise(whenBothChanged: preference).record(for: untyped)
        return Typed(checked: record, layout: server.layout)
    }

    /// Returns a Boolean value that indicates whether both clients have changed a field to different values.
    ///
    /// - Parameter field: The field.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the records are of different types.
    public func haveBothChanged<Declaration: SettableField>(_ field: (Fields) -> Declaration) throws -> Bool {
        let key = field(server.layout.fields).key
        var isFound = false
        _ = try ThreeWayMerge(untyped).record { conflict in
            if conflict.key.hasSameScalars(as: key) { isFound = true }
            return conflict.server
        }
        return isFound
    }

    private var untyped: RecordConflict {
        RecordConflict(
            clientRecord: client.record, serverRecord: server.record, ancestorRecord: ancestor?.record)
    }
}
