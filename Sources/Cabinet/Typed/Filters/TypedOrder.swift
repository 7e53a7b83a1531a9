/// An order of records: a field, a field with a direction or options, or a list of those.
///
/// ```swift
/// items.all(by: \.name)
/// items.all(by: \.number.descending)
/// items.all(by: { [$0.list.to.name.ascending, $0.number.descending] })
/// items.all(by: { [$0.place.distance(from: here)] })
/// ```
///
/// A list, a location or an asset has no order and does not compile.
public protocol TypedOrder {
    /// The sort keys, the most significant first.
    var sortDescriptors: [Sort] { get }
}

extension Sort: TypedOrder {
    /// This sort key alone.
    public var sortDescriptors: [Sort] { [self] }
}

extension Array: TypedOrder where Element == Sort {
    /// The sort keys themselves.
    public var sortDescriptors: [Sort] { self }
}

extension FieldDeclaration where Value.FieldShape == ContentShape.Scalar {
    /// The ascending order, in which records without a value come first.
    public var ascending: Sort { Sort(key) }

    /// The descending order, in which records without a value come last.
    public var descending: Sort { Sort(key, ascending: false) }

    /// Returns an order with options, such as one without regard to case.
    public func sorted(ascending: Bool = true, options: Sort.Options) -> Sort {
        Sort(key, ascending: ascending, options: options)
    }

    /// The ascending order by this field.
    public var sortDescriptors: [Sort] { [ascending] }
}

extension FieldDeclaration where Compared == Location {
    /// Returns an order by the distance from a location.
    public func distance(from origin: Location, ascending: Bool = true) -> Sort {
        Sort(key, distanceFrom: origin, ascending: ascending)
    }
}

extension Field: TypedOrder where Value.FieldShape == ContentShape.Scalar {}
extension SystemValue: TypedOrder where Content.FieldShape == ContentShape.Scalar {}
extension Link: TypedOrder {}
