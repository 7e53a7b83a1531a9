/// A type whose values can be arguments of a filter: the types that a field can hold, and records.
///
/// A ``Record`` stands for a reference to it, as in `Filter("list == %@", list)`. Sets and arrays are lists, as in
/// `Filter("name IN %@", names)`. <doc:Filters> has examples.
public protocol FilterArgument: Sendable {
    /// The value as filters compare it, or `nil` if no field can hold it.
    var filterValue: FieldValue? { get }
}

extension FilterArgument where Self: RecordValue {
    /// The value as it is stored.
    public var filterValue: FieldValue? { fieldValue }
}

extension Array: FilterArgument where Element: FilterArgument {
    /// The elements as a list, or `nil` if they are not all of one type that a list can hold.
    public var filterValue: FieldValue? {
        if let list = self as? any RecordValue { return list.fieldValue }
        // An empty list has no type, and filters treat all empty lists alike.
        if isEmpty { return .list(.string([])) }
        let values = compactMap(\.filterValue)
        guard values.count == count, let type = values.first?.fieldType, !type.isList else { return nil }
        return FieldList(values, of: type.scalar).map(FieldValue.list)
    }
}
