/// A target of links that is a record of one of several types.
///
/// ```swift
/// let subject = Link<OneOf<Companies, Contacts, Deals>>(
///     "subject", onDelete: .deleteSelf)
///
/// activity.subject = .init(company.id)
/// let company = activity.subject?.id(in: Companies.self)
/// $0.subject.to(Companies.self).name == "Acme"
/// ```
///
/// A reference does not store the type of its target. Fetch the target to find it out.
public struct OneOf<each Target: RecordFields>: LinkTarget {
    private init() {}
}

extension TypedID {
    /// Creates an ID of one of two types from an ID of the first.
    public init<First, Second>(_ id: TypedID<First>) where Target == OneOf<First, Second> {
        self.init(id.recordID)
    }

    /// Creates an ID of one of two types from an ID of the second.
    public init<First, Second>(_ id: TypedID<Second>) where Target == OneOf<First, Second> {
        self.init(id.recordID)
    }

    /// Creates an ID of one of three types from an ID of the first.
    public init<First, Second, Third>(_ id: TypedID<First>) where Target == OneOf<First, Second, Third> {
        self.init(id.recordID)
    }

    /// Creates an ID of one of three types from an ID of the second.
    public init<First, Second, Third>(_ id: TypedID<Second>) where Target == OneOf<First, Second, Third> {
        self.init(id.recordID)
    }

    /// Creates an ID of one of three types from an ID of the third.
    public init<First, Second, Third>(_ id: TypedID<Third>) where Target == OneOf<First, Second, Third> {
        self.init(id.recordID)
    }

    /// Returns the ID as that of a record of one type, which is not checked.
    ///
    /// - Parameter type: The declaration of the type, one of those that the link can point to.
    public func id<Fields: RecordFields, each Other: RecordFields>(
        in type: Fields.Type
    ) -> TypedID<Fields> where Target == OneOf<repeat each Other> {
        TypedID<Fields>(recordID)
    }
}

extension Link {
    /// Returns the fields of a target of one type, for filters, orders and aggregates.
    ///
    /// Records whose link points to another type have no value in these fields, unless their type has a field of the same name.
    ///
    /// - Parameter type: The declaration of the type, one of those that the link can point to.
    public func to<Fields: RecordFields, each Other: RecordFields>(
        _ type: Fields.Type
    ) -> LinkedFields<Fields> where Target == OneOf<repeat each Other> {
        LinkedFields(path: key)
    }
}
