public import Foundation

/// A flat list of values of one type, as it is stored.
public enum FieldList: Sendable {
    /// A list of text.
    case string([String])
    /// A list of whole numbers.
    case int64([Int64])
    /// A list of floating-point numbers.
    case double([Double])
    /// A list of instants.
    case timestamp([Date])
    /// A list of bytes.
    case bytes([Data])
    /// A list of references.
    case reference([Reference])
    /// A list of locations.
    case location([Location])
    /// A list of files.
    case asset([Asset])

    /// Creates a list from single values of one type.
    ///
    /// - Returns: `nil` if an element is not of the type, or is itself a list.
    public init?(_ elements: [FieldValue], of type: FieldType.Scalar) {
        func typed<Element>(_ extract: (FieldValue) -> Element?) -> [Element]? {
            var result: [Element] = []
            result.reserveCapacity(elements.count)
            for element in elements {
                guard let value = extract(element) else { return nil }
                result.append(value)
            }
            return result
        }
        let list: FieldList? =
            switch type {
            case .string: typed { if case .string(let value) = $0 { value } else { nil } }.map(FieldList.string)
            case .int64: typed { if case .int64(let value) = $0 { value } else { nil } }.map(FieldList.int64)
            case .double: typed { if case .double(let value) = $0 { value } else { nil } }.map(FieldList.double)
            case .timestamp:
                typed { if case .timestamp(let value) = $0 { value } else { nil } }.map(FieldList.timestamp)
            case .bytes: typed { if case .bytes(let value) = $0 { value } else { nil } }.map(FieldList.bytes)
            case .reference:
                typed { if case .reference(let value) = $0 { value } else { nil } }.map(FieldList.reference)
            case .location: typed { if case .location(let value) = $0 { value } else { nil } }.map(FieldList.location)
            case .asset: typed { if case .asset(let value) = $0 { value } else { nil } }.map(FieldList.asset)
            }
        guard let list else { return nil }
        self = list
    }

    /// Creates a list of numbers: INT64 if there are elements and all of them are INT64, else DOUBLE.
    ///
    /// - Returns: `nil` if an element is not a number, or a DOUBLE list cannot hold it exactly.
    init?(numbers: [FieldValue]) {
        if !numbers.isEmpty, let whole = FieldList(numbers, of: .int64) {
            self = whole
            return
        }
        var doubles: [Double] = []
        for number in numbers {
            switch number {
            case .double(let value): doubles.append(value)
            case .int64(let value):
                guard let value = Double(exactly: value) else { return nil }
                doubles.append(value)
            default: return nil
            }
        }
        self = .double(doubles)
    }

    /// Creates an empty list.
    init(emptyOf type: FieldType.Scalar) {
        self =
            switch type {
            case .string: .string([])
            case .int64: .int64([])
            case .double: .double([])
            case .timestamp: .timestamp([])
            case .bytes: .bytes([])
            case .reference: .reference([])
            case .location: .location([])
            case .asset: .asset([])
            }
    }

    /// The type of the list's elements, known even when the list is empty.
    public var elementType: FieldType.Scalar {
        switch self {
        case .string: .string
        case .int64: .int64
        case .double: .double
        case .timestamp: .timestamp
        case .bytes: .bytes
        case .reference: .reference
        case .location: .location
        case .asset: .asset
        }
    }

    /// The number of elements.
    public var count: Int {
        switch self {
        case .string(let values): values.count
        case .int64(let values): values.count
        case .double(let values): values.count
        case .timestamp(let values): values.count
        case .bytes(let values): values.count
        case .reference(let values): values.count
        case .location(let values): values.count
        case .asset(let values): values.count
        }
    }

    /// The elements as single values, in order.
    ///
    /// - Complexity: O(*n*) in the number of elements.
    public var elements: [FieldValue] {
        switch self {
        case .string(let values): values.map(FieldValue.string)
        case .int64(let values): values.map(FieldValue.int64)
        case .double(let values): values.map(FieldValue.double)
        case .timestamp(let values): values.map(FieldValue.timestamp)
        case .bytes(let values): values.map(FieldValue.bytes)
        case .reference(let values): values.map(FieldValue.reference)
        case .location(let values): values.map(FieldValue.location)
        case .asset(let values): values.map(FieldValue.asset)
        }
    }
}

extension FieldList: Hashable {
    /// Returns a Boolean value that indicates whether two lists are equal, scalar by scalar.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.hasSameScalars(as: $1) }
        case (.double(let left), .double(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0 == $1 || $0.isNaN && $1.isNaN }
        case (.int64(let left), .int64(let right)): left == right
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.reference(let left), .reference(let right)): left == right
        case (.location(let left), .location(let right)): left == right
        case (.asset(let left), .asset(let right)): left == right
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(elementType)
        for element in elements { hasher.combine(element) }
    }
}
