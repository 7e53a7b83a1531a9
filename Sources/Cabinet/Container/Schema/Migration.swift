/// A named change of a database's schema and records, which runs once in each database.
///
/// ```swift
/// let migrations = [
///     Migration("due dates", .renameField("due", to: "dueDate", of: "Items")),
///     Migration(
///         "totals",
///         .forEachRecord(of: "Orders") { order in
///             let price: Double = order["price"] ?? 0
///             let count: Double = order["count"] ?? 1
///             order["total"] = price * count
///         },
///         .drop(SchemaPart("Orders", "price"), losingAtMost: .max)),
/// ]
/// try await container.migrate(migrations)
/// ```
///
/// A migration is a list of steps. The database remembers under the migration's name how far it has come. So do not change the name
/// or the steps of a migration that has run anywhere: append another migration to the list. See <doc:Schemas>.
public struct Migration: Sendable {
    /// The name, which differs from those of other migrations.
    public let name: String

    let steps: [Step]

    /// Creates a migration.
    ///
    /// - Parameters:
    ///   - name: The name: 1 to 255 printable ASCII characters.
    ///   - steps: The steps, in their order.
    public init(_ name: String, _ steps: Step...) {
        self.name = name
        self.steps = steps
    }

    /// A step of a migration.
    public struct Step: Sendable {
        let action: Action

        enum Action: Sendable {
            case schema(SchemaPart, SchemaChange)
            case records(Query, @Sendable (inout Record) async throws -> Void)
        }
    }
}

extension Migration.Step {
    /// Gives a field another name, as ``Database/rename(_:to:)`` does.
    ///
    /// - Parameters:
    ///   - key: The name of the field.
    ///   - newKey: The new name.
    ///   - recordType: The record type.
    /// - Returns: The step.
    public static func renameField(
        _ key: Record.FieldKey, to newKey: Record.FieldKey, of recordType: Record.RecordType
    ) -> Self {
        Self(action: .schema(SchemaPart(recordType, key), .rename(newKey)))
    }

    /// Gives a record type another name, as ``Database/rename(_:to:)`` does.
    ///
    /// - Parameters:
    ///   - recordType: The name of the record type.
    ///   - newName: The new name.
    /// - Returns: The step.
    public static func renameRecordType(_ recordType: Record.RecordType, to newName: Record.RecordType) -> Self {
        Self(action: .schema(SchemaPart(recordType), .rename(newName)))
    }

    /// Changes a field of whole numbers to one of doubles, as ``Database/changeField(_:of:to:)`` does.
    ///
    /// - Parameters:
    ///   - key: The name of the field.
    ///   - recordType: The record type.
    ///   - type: The new type.
    /// - Returns: The step.
    public static func changeField(
        _ key: Record.FieldKey, of recordType: Record.RecordType, to type: FieldType
    ) -> Self {
        Self(action: .schema(SchemaPart(recordType, key), .setType(type)))
    }

    /// Drops a record type or field, as ``Database/drop(_:losingAtMost:)`` does.
    ///
    /// - Parameters:
    ///   - part: The record type or field.
    ///   - limit: The greatest number of records or values to lose; by default none. A strict container loses none in any case.
    /// - Returns: The step.
    public static func drop(_ part: SchemaPart, losingAtMost limit: Int = 0) -> Self {
        Self(action: .schema(part, .drop(losingAtMost: limit)))
    }

    /// Changes each record of a type, and saves those that the closure has changed.
    ///
    /// The step goes through the records in the order in which they were first saved, 200 at a time. Each batch is saved in one
    /// transaction, which also stores how far the step has come. If another client changes a record before the batch is saved,
    /// the closure runs again for the batch, so it must not have effects that may not happen twice. The records are saved like
    /// any others: they get new change tags, and other clients are notified.
    ///
    /// - Parameters:
    ///   - recordType: The record type. A database without it has no records to change.
    ///   - filter: The filter that selects the records; by default all.
    ///   - body: A closure that changes a record.
    /// - Returns: The step.
    public static func forEachRecord(
        of recordType: Record.RecordType, matching filter: Filter = .constant(true),
        _ body: @escaping @Sendable (inout Record) async throws -> Void
    ) -> Self {
        Self(action: .records(Query(recordType: recordType, filter: filter), body))
    }
}
