import Foundation

/// A type whose values a record's field can hold.
///
/// Strings, booleans, numbers of every width, `NSNumber`, dates, data, UUIDs, URLs, references, locations and assets
/// conform, and so do arrays of them. An enumeration with raw values conforms without further code:
///
/// ```swift
/// enum Priority: Int, RecordValue { case low, normal, high }
///
/// record["priority"] = Priority.high
/// let priority: Priority? = record["priority"]
/// ```
///
/// <doc:RecordsAndValues> lists the conversions between types.
public protocol RecordValue: FilterArgument, RecordValueOrOptional {
    /// The type of field that values of this type are stored in.
    static var fieldType: FieldType { get }

    /// The value as it is stored, or `nil` if no field can hold it.
    ///
    /// Saving a record with a value that no field can hold throws ``CabinetError/Code/invalidArguments``.
    var fieldValue: FieldValue? { get }

    /// Creates a value from a stored one, or returns `nil` if the stored value is not of this type.
    ///
    /// Law: `Self(fieldValue: value.fieldValue)` equals `value`.
    init?(fieldValue: FieldValue)
}

extension RecordValue where Self: RawRepresentable, RawValue: RecordValue {
    /// The type of field that raw values are stored in.
    public static var fieldType: FieldType { RawValue.fieldType }

    /// The raw value as it is stored.
    @inlinable
    public var fieldValue: FieldValue? { rawValue.fieldValue }

    /// Reads a raw value, or returns `nil` if no case has it.
    @inlinable
    public init?(fieldValue: FieldValue) {
        guard let rawValue = RawValue(fieldValue: fieldValue) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension FieldValue {
    /// The value as CloudKit returns it: a number as `NSNumber`, a list as an array.
    ///
    /// A list of numbers is a `[NSNumber]`, which Swift casts to an array of any number type that can hold all its elements.
    ///
    /// - Complexity: O(*n*) for a list of numbers, else O(1).
    public var recordValue: any RecordValue {
        switch self {
        case .string(let value): value
        case .int64(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .timestamp(let value): value
        case .bytes(let value): value
        case .reference(let value): value
        case .location(let value): value
        case .asset(let value): value
        case .list(let list): list.recordValue
        case .encrypted(let value): value.value?.recordValue ?? value.ciphertext ?? Data()
        }
    }
}

extension FieldList {
    /// The list as an array.
    ///
    /// An empty list keeps its type, which `NSNumber` cannot express.
    var recordValue: any RecordValue {
        switch self {
        case .string(let values): values
        case .int64(let values): values.isEmpty ? values : values.map(NSNumber.init(value:))
        case .double(let values): values.isEmpty ? values : values.map(NSNumber.init(value:))
        case .timestamp(let values): values
        case .bytes(let values): values
        case .reference(let values): values
        case .location(let values): values
        case .asset(let values): values
        }
    }
}

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
