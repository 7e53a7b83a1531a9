import Foundation

/// A parameter of a statement, in PostgreSQL's binary format.
///
/// Text is stored text: encode text that may hold a NUL with ``StoredText/encoded(_:)`` first.
enum SQLValue: Sendable, Hashable {
    case null
    /// A null of a given type, so that the types of a statement, and thus its preparation, do not depend on which values are
    /// null.
    case nullOf(typeID: UInt32)
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case text(String)
    case bytes(Data)
    case integers([Int64?])
    case doubles([Double?])
    case texts([String?])
    case byteLists([Data?])

    init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }

    init(_ number: Int64?) { self = number.map(SQLValue.integer) ?? .null }

    /// The first element of an array; null if it is empty.
    var first: SQLValue {
        switch self {
        case .integers(let values): (values.first ?? nil).map(SQLValue.integer) ?? .nullOf(typeID: 20)
        case .texts(let values): (values.first ?? nil).map(SQLValue.text) ?? .nullOf(typeID: 25)
        case .doubles(let values): (values.first ?? nil).map(SQLValue.double) ?? .nullOf(typeID: 701)
        case .byteLists(let values): (values.first ?? nil).map(SQLValue.bytes) ?? .nullOf(typeID: 17)
        case .null, .nullOf, .boolean, .integer, .double, .text, .bytes: .null
        }
    }

    /// The OID of the value's type; 0 for a null, whose type the statement determines.
    var typeID: UInt32 {
        switch self {
        case .null: 0
        case .nullOf(let typeID): typeID
        case .boolean: 16
        case .bytes: 17
        case .integer: 20
        case .text: 25
        case .double: 701
        case .byteLists: 1001
        case .texts: 1009
        case .integers: 1016
        case .doubles: 1022
        }
    }

    /// Whether the value is a null, which has no bytes.
    var isNull: Bool {
        switch self {
        case .null, .nullOf: true
        default: false
        }
    }

    /// Appends the value's bytes.
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .null, .nullOf: break
        case .boolean(let value): bytes.append(value ? 1 : 0)
        case .integer(let value): bytes.append(bigEndian: value)
        case .double(let value): bytes.append(bigEndian: value.bitPattern)
        case .text(let value): bytes.append(contentsOf: value.utf8)
        case .bytes(let value): bytes.append(contentsOf: value)
        case .integers(let values):
            bytes.append(array: values, ofType: 20) { $1.append(bigEndian: $0) }
        case .doubles(let values):
            bytes.append(array: values, ofType: 701) { $1.append(bigEndian: $0.bitPattern) }
        case .texts(let values):
            bytes.append(array: values, ofType: 25) { $1.append(contentsOf: $0.utf8) }
        case .byteLists(let values):
            bytes.append(array: values, ofType: 17) { $1.append(contentsOf: $0) }
        }
    }
}

extension [UInt8] {
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends an array as PostgreSQL sends one: dimensions, then the elements, each with its length before it.
    fileprivate mutating func append<Item>(
        array values: [Item?], ofType type: UInt32, _ appendElement: (Item, inout [UInt8]) -> Void
    ) {
        append(bigEndian: Int32(values.isEmpty ? 0 : 1))
        append(bigEndian: Int32(values.contains { $0 == nil } ? 1 : 0))
        append(bigEndian: type)
        if values.isEmpty { return }
        append(bigEndian: Int32(clamping: values.count))
        append(bigEndian: Int32(1))
        for value in values {
            guard let value else {
                append(bigEndian: Int32(-1))
                continue
            }
            let start = count
            append(bigEndian: Int32(0))
            appendElement(value, &self)
            let length = Int32(clamping: count - start - 4)
            Swift.withUnsafeBytes(of: length.bigEndian) { bytes in
                for (offset, byte) in bytes.enumerated() { self[start + offset] = byte }
            }
        }
    }
}
