/// Whether saves extend the schema of a container's databases, or the program declares it.
///
/// ```swift
/// let container = try Container(
///     identifier: "com.example.shopping", backend: backend,
///     schema: .strict(schema))
/// ```
///
/// <doc:Schemas> compares the two. They are CloudKit's development and production environments.
public enum SchemaMode: Sendable, Hashable {
    /// A save adds the record types and fields that do not exist yet, and a query of an unknown type finds no records.
    case growing

    /// A request is refused if it names a record type or field that the schema does not declare, or compares a field with a value
    /// of another kind.
    ///
    /// The first request to a database creates the declared types, fields and indexes that it lacks. Nothing is removed.
    case strict(Schema)
}
