public import Foundation

extension String: RecordValue {
    /// STRING.
    public static var fieldType: FieldType { .string }

    /// The text.
    @inlinable
    public var fieldValue: FieldValue? { .string(self) }

    /// Reads text; anything else gives `nil`.
    @inlinable
    public init?(fieldValue: FieldValue) {
        guard case .string(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Date: RecordValue {
    /// TIMESTAMP.
    public static var fieldType: FieldType { .timestamp }

    /// The instant.
    @inlinable
    public var fieldValue: FieldValue? { .timestamp(self) }

    /// Reads an instant; anything else gives `nil`.
    @inlinable
    public init?(fieldValue: FieldValue) {
        guard case .timestamp(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Data: RecordValue {
    /// BYTES.
    public static var fieldType: FieldType { .bytes }

    /// The bytes.
    @inlinable
    public var fieldValue: FieldValue? { .bytes(self) }

    /// Reads bytes; anything else gives `nil`.
    @inlinable
    public init?(fieldValue: FieldValue) {
        guard case .bytes(let value) = fieldValue else { return nil }
        self = value
    }
}

/// A UUID is stored as its text.
extension UUID: RecordValue {
    /// STRING.
    public static var fieldType: FieldType { .string }

    /// The text of the UUID.
    @inlinable
    public var fieldValue: FieldValue? { .string(uuidString) }

    /// Reads the text of a UUID; anything else gives `nil`.
    @inlinable
    public init?(fieldValue: FieldValue) {
        guard case .string(let value) = fieldValue else { return nil }
        self.init(uuidString: value)
    }
}

/// A URL is stored as its text.
extension URL: RecordValue {
    /// STRING.
    public static var fieldType: FieldType { .string }

    /// The text of the URL.
    @inlinable
    public var fieldValue: FieldValue? { .string(absoluteString) }

    /// Reads the text of a URL; anything else gives `nil`.
    @inlinable
    public init?(fieldValue: FieldValue) {
        guard case .string(let value) = fieldValue else { return nil }
        self.init(string: value)
    }
}

extension Reference: RecordValue {
    /// REFERENCE.
    public static var fieldType: FieldType { .reference }

    /// The reference.
    @inlinable
    public var fieldValue: FieldValue? { .reference(self) }

    /// Reads a reference; anything else gives `nil`.
    @inlinable
    public init?(fieldValue: FieldValue) {
        guard case .reference(let value) = fieldValue else { return nil }
        self = value
    }
}

/// An ID is a reference without a delete rule, so that filters accept either.
extension RecordID: RecordValue {
    /// REFERENCE.
    public static var fieldType: FieldType { .reference }

    /// A reference to the record, with the action ``Reference/Action/none``.
    @inlinable
    public var fieldValue: FieldValue? { .reference(Reference(recordID: self, action: .none)) }

    /// Reads the ID of a reference with any action.
    ///
    /// Other values give `nil`.
    @inlinable
    public init?(fieldValue: FieldValue) {
        guard case .reference(let value) = fieldValue else { return nil }
        self = value.recordID
    }
}

extension Location: RecordValue {
    /// Locations have distances, and no order.
    public typealias FieldShape = ContentShape.Location

    /// LOCATION.
    public static var fieldType: FieldType { .location }

    /// The location.
    @inlinable
    public var fieldValue: FieldValue? { .location(self) }

    /// Reads a location; anything else gives `nil`.
    @inlinable
    public init?(fieldValue: FieldValue) {
        guard case .location(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Asset: RecordValue {
    /// Assets have no order.
    public typealias FieldShape = ContentShape.Asset

    /// ASSET.
    public static var fieldType: FieldType { .asset }

    /// The asset.
    @inlinable
    public var fieldValue: FieldValue? { .asset(self) }

    /// Reads an asset; anything else gives `nil`.
    @inlinable
    public init?(fieldValue: FieldValue) {
        guard case .asset(let value) = fieldValue else { return nil }
        self = value
    }
}

/// An array is stored as a list.
///
/// Lists are flat: a field cannot hold an array of arrays.
extension Array: RecordValue where Element: RecordValue {
    /// A list of the type that the elements are stored in.
    public static var fieldType: FieldType { .list(of: Element.fieldType.scalar) }

    /// The list, or `nil` if a field cannot hold an element, or an element is itself a list.
    public var fieldValue: FieldValue? {
        guard !Element.fieldType.isList else { return nil }
        var elements: [FieldValue] = []
        elements.reserveCapacity(count)
        for element in self {
            guard let value = element.fieldValue else { return nil }
            elements.append(value)
        }
        let list =
            Element.self is NSNumber.Type
            ? FieldList(numbers: elements) : FieldList(elements, of: Element.fieldType.scalar)
        return list.map(FieldValue.list)
    }

    /// Reads a list whose elements are all of the type.
    ///
    /// Other values give `nil`.
    public init?(fieldValue: FieldValue) {
        guard case .list(let list) = fieldValue else { return nil }
        self = []
        reserveCapacity(list.count)
        for value in list.elements {
            guard let element = Element(fieldValue: value) else { return nil }
            append(element)
        }
    }
}
