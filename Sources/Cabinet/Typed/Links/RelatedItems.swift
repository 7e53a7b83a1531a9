/// The records of a query, with the records that their links point to.
///
/// ```swift
/// let page = try await items.all(by: \.name, including: \.list, \.tags)
/// for item in page {
///     let list = page[item.list]?.name ?? "-"
///     print(item.name, list, page[item.tags].map(\.name))
/// }
/// ```
public struct RelatedItems<Fields: RecordFields>: RandomAccessCollection, Sendable {
    /// The records of the query, in its order.
    public let items: [Typed<Fields>]

    /// The fetched targets, by ID.
    let targets: [RecordID: Record]

    /// The position of the first record.
    public var startIndex: Int { items.startIndex }

    /// The position after the last record.
    public var endIndex: Int { items.endIndex }

    /// The record at a position.
    public subscript(position: Int) -> Typed<Fields> { items[position] }

    /// The target of a link.
    ///
    /// It is `nil` if the link has no target, if the target does not exist or is of another type, and if the query did not include the
    /// link.
    public subscript<Target: RecordFields>(id: TypedID<Target>?) -> Typed<Target>? {
        id.flatMap { targets[$0.recordID] }.flatMap { try? Typed($0) }
    }

    /// The targets of a list of links, in its order, without those that do not exist.
    public subscript<Target: RecordFields>(ids: [TypedID<Target>]) -> [Typed<Target>] {
        ids.compactMap { self[$0] }
    }
}
