public import Foundation

extension String: RecordValue {
    public static var fieldType: FieldType { .string }

    public var fieldValue: FieldValue? { .string(self) }

    public init?(fieldValue: FieldValue) {
        guard case .string(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Date: RecordValue {
    public static var fieldType: FieldType { .timestamp }

    public var fieldValue: FieldValue? { .timestamp(self) }

    public init?(fieldValue: FieldValue) {
        guard case .timestamp(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Data: RecordValue {
    public static var fieldType: FieldType { .bytes }

    public var fieldValue: FieldValue? { .bytes(self) }

    public init?(fieldValue: FieldValue) {
        guard case .bytes(let value) = fieldValue else { return nil }
        self = value
    }
}

/// A UUID is stored as its text.
extension UUID: RecordValue {
    public static var fieldType: FieldType { .string }

    public var fieldValue: FieldValue? { .string(uuidString) }

    public init?(fieldValue: FieldValue) {
        guard case .string(let value) = fieldValue else { return nil }
        self.init(uuidString: value)
    }
}

/// A URL is stored as its text.
extension URL: RecordValue {
    public static var fieldType: FieldType { .string }

    public var fieldValue: FieldValue? { .string(absoluteString) }

    public init?(fieldValue: FieldValue) {
        guard case .string(let value) = fieldValue else { return nil }
        self.init(string: value)
    }
}

extension Reference: RecordValue {
    public static var fieldType: FieldType { .reference }

    public var fieldValue: FieldValue? { .reference(self) }

    public init?(fieldValue: FieldValue) {
        guard case .reference(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Location: RecordValue {
    public static var fieldType: FieldType { .location }

    public var fieldValue: FieldValue? { .location(self) }

    public init?(fieldValue: FieldValue) {
        guard case .location(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Asset: RecordValue {
    public static var fieldType: FieldType { .asset }

    public var fieldValue: FieldValue? { .asset(self) }

    public init?(fieldValue: FieldValue) {
        guard case .asset(let value) = fieldValue else { return nil }
        self = value
    }
}

/// An array is stored as a list. Lists are flat: an array of arrays fits no field.
extension Array: RecordValue where Element: RecordValue {
    public static var fieldType: FieldType { .list(of: Element.fieldType.scalar) }

    public var fieldValue: FieldValue? {
        guard !Element.fieldType.isList else { return nil }
        var elements: [FieldValue] = []
        elements.reserveCapacity(count)
        for element in self {
            guard let value = element.fieldValue else { return nil }
            elements.append(value)
        }
        return FieldList(elements, of: Element.fieldType.scalar).map(FieldValue.list)
    }

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
