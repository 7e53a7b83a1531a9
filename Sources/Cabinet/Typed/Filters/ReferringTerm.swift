extension RecordFields {
    /// Returns the records of another type that point to each record by a link.
    ///
    /// ```swift
    /// lists.all(where: { $0.referring(Items.self, by: \.list).isEmpty })
    /// lists.all(where: {
    ///     $0.referring(Items.self, by: \.list) { $0.isBought == false }.count > 3
    /// })
    /// lists.all(by: { $0.referring(Items.self, by: \.list).count.descending })
    /// ```
    ///
    /// - Parameters:
    ///   - type: The declaration of the other type.
    ///   - link: The link, or the list of links, that points to this type.
    ///   - filter: The condition that the other records satisfy; by default all do.
    public func referring<Source: RecordFields, Reference: LinkDeclaration>(
        _ type: Source.Type, by link: KeyPath<Source, Reference>,
        where filter: (Source) -> Filter = { _ in .constant(true) }
    ) -> ReferringTerm where Reference.Target == Self {
        ReferringTerm(type, by: link, where: filter)
    }

    /// Returns the records of another type that point to each record by a link to this type, the first of two.
    public func referring<Source: RecordFields, Reference: LinkDeclaration, Other: RecordFields>(
        _ type: Source.Type, by link: KeyPath<Source, Reference>,
        where filter: (Source) -> Filter = { _ in .constant(true) }
    ) -> ReferringTerm where Reference.Target == OneOf<Self, Other> {
        ReferringTerm(type, by: link, where: filter)
    }

    /// Returns the records of another type that point to each record by a link to this type, the second of two.
    public func referring<Source: RecordFields, Reference: LinkDeclaration, Other: RecordFields>(
        _ type: Source.Type, by link: KeyPath<Source, Reference>,
        where filter: (Source) -> Filter = { _ in .constant(true) }
    ) -> ReferringTerm where Reference.Target == OneOf<Other, Self> {
        ReferringTerm(type, by: link, where: filter)
    }

    /// Returns the records of another type that point to each record by a link to this type, the first of three.
    public func referring<
        Source: RecordFields, Reference: LinkDeclaration, Other: RecordFields, Third: RecordFields
    >(
        _ type: Source.Type, by link: KeyPath<Source, Reference>,
        where filter: (Source) -> Filter = { _ in .constant(true) }
    ) -> ReferringTerm where Reference.Target == OneOf<Self, Other, Third> {
        ReferringTerm(type, by: link, where: filter)
    }

    /// Returns the records of another type that point to each record by a link to this type, the second of three.
    public func referring<
        Source: RecordFields, Reference: LinkDeclaration, Other: RecordFields, Third: RecordFields
    >(
        _ type: Source.Type, by link: KeyPath<Source, Reference>,
        where filter: (Source) -> Filter = { _ in .constant(true) }
    ) -> ReferringTerm where Reference.Target == OneOf<Other, Self, Third> {
        ReferringTerm(type, by: link, where: filter)
    }

    /// Returns the records of another type that point to each record by a link to this type, the third of three.
    public func referring<
        Source: RecordFields, Reference: LinkDeclaration, Other: RecordFields, Third: RecordFields
    >(
        _ type: Source.Type, by link: KeyPath<Source, Reference>,
        where filter: (Source) -> Filter = { _ in .constant(true) }
    ) -> ReferringTerm where Reference.Target == OneOf<Other, Third, Self> {
        ReferringTerm(type, by: link, where: filter)
    }
}

/// The records that point to each record, in a filter or an order.
public struct ReferringTerm: Sendable {
    /// The number of the records.
    public let count: ReferringCount

    fileprivate init<Source: RecordFields, Reference: LinkDeclaration>(
        _ type: Source.Type, by link: KeyPath<Source, Reference>, where filter: (Source) -> Filter
    ) {
        let fields = RecordLayout<Source>.shared().fields
        count = ReferringCount(
            expression: .referring(Source.recordType, by: fields[keyPath: link].key, where: filter(fields)))
    }

    /// Matches records to which none points.
    public var isEmpty: Filter { count == 0 }
}

/// The number of the records that point to each record.
public struct ReferringCount: TypedOperand, TypedOrder {
    /// The type of the number.
    public typealias Compared = Int

    /// The number as an operand of untyped filters.
    public let expression: Filter.Expression

    /// The order in which records to which few point come first.
    public var ascending: Sort { Sort(expression.description) }

    /// The order in which records to which many point come first.
    public var descending: Sort { Sort(expression.description, ascending: false) }

    /// The ascending order.
    public var sortDescriptors: [Sort] { [ascending] }
}

/// A link, or a list of links, with the declaration of its targets.
///
/// Do not conform to this protocol. ``Link`` and ``Links`` do.
public protocol LinkDeclaration: LinkSelection {
    /// The declaration of the targets, or ``OneOf`` several.
    associatedtype Target: LinkTarget
}

extension Link: LinkDeclaration {}
extension Links: LinkDeclaration {}
