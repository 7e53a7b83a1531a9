/// The records of one declared type in a database, or in one of its zones.
///
/// ```swift
/// let items = database.table(Items.self)
/// var milk = try await items.save { $0.name = "Milk"; $0.list = groceries.id }
/// let few = try await items.all(where: { $0.number < 3 }, by: \.name)
/// milk = try await items.update(milk.id) { $0.number += 1 }
/// ```
///
/// A table has the calls of ``Database`` with typed filters, orders and records. They behave as the untyped calls do, and throw their
/// errors. A query of a table finds the records of all zones, or of the zone of ``Database/inZone(_:)``.
public struct Table<Fields: RecordFields>: Sendable {
    /// The database, or the zone, with the records.
    public let database: Database

    @usableFromInline let layout: RecordLayout<Fields>

    init(_ database: Database) {
        self.database = database
        layout = .shared()
    }

    /// The declared fields, for filters that are built outside of a closure.
    @inlinable public var fields: Fields { layout.fields }

    /// Returns an untyped query of the table's records, for the calls of ``Database``.
    ///
    /// - Parameters:
    ///   - filter: The condition that records satisfy; by default all do.
    ///   - order: The order of the records; by default that of their first saves.
    public func query(
        where filter: (Fields) -> Filter = { _ in .constant(true) },
        by order: (Fields) -> any TypedOrder = { _ in [Sort]() }
    ) -> Query {
        Query(
            recordType: Fields.recordType, filter: filter(layout.fields),
            sortedBy: order(layout.fields).sortDescriptors)
    }

    /// Wraps a record of a query of this table.
    @inlinable
    func typed(_ record: Record) -> Typed<Fields> {
        Typed(checked: record, layout: layout)
    }

    /// Wraps the records of a query of this table.
    @inlinable
    func typed(_ records: [Record]) -> [Typed<Fields>] {
        records.map { Typed(checked: $0, layout: layout) }
    }

    /// Returns the keys of fields to fetch.
    @inlinable
    func keys(_ fields: ((Fields) -> [any FieldDeclaration])?) -> [Record.FieldKey]? {
        fields.map { $0(layout.fields).map(\.key) }
    }
}

extension Database {
    /// Returns the records of a declared type in this database, or in the zone of ``inZone(_:)``.
    ///
    /// - Parameter declaration: The declaration of the type.
    public func table<Fields: RecordFields>(_ declaration: Fields.Type) -> Table<Fields> {
        Table(self)
    }
}
