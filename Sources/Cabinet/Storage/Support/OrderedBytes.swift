import Foundation

/// Bytes whose order is the order of the values that they encode, for stores that have only ordered keys.
///
/// An index on two sort keys has, for each record, the bytes of their values and of the record's insertion number:
///
/// ```swift
/// var key = OrderedBytes()
/// key.append(record.fields["list"])
/// key.append(record.fields["name"], ascending: false)
/// key.append(record.insertionNumber)
/// ```
///
/// Keys that begin with the same parts are adjacent, and a text never runs into the next part. The encoding never changes, so a
/// store may persist it.
public struct OrderedBytes: Sendable, Hashable {
    /// The bytes, which stores compare in lexicographic order.
    public private(set) var bytes: [UInt8] = []

    /// Creates an encoding without parts.
    public init() {}

    /// Appends the value of a field.
    ///
    /// Values have the order of a ``Sort``: nil first, then by kind. An INT64 and a DOUBLE are compared exactly, and equal ones
    /// have the same bytes. References have the order of their record names, and references to the same name have the same bytes
    /// in all zones and with all actions. Locations, assets, lists and encrypted values have no order; all values of each of these kinds have the
    /// same bytes.
    ///
    /// - Parameters:
    ///   - value: The value, or `nil`.
    ///   - options: The parts of text that the order ignores.
    ///   - ascending: Whether smaller values come first.
    /// - Complexity: O(*n*) in the length of the value.
    public mutating func append(_ value: FieldValue?, options: Sort.Options = [], ascending: Bool = true) {
        append(ascending: ascending) { bytes in
            switch value {
            case nil: bytes.append(Kind.none.rawValue)
            case .double(let number)? where number.isNaN: bytes.append(Kind.notANumber.rawValue)
            case .int64(let number)?:
                bytes.append(Kind.number.rawValue)
                Self.append(number, to: &bytes)
            case .double(let number)?:
                bytes.append(Kind.number.rawValue)
                Self.append(number, to: &bytes)
                // An integer appends its distance to the double below it here.
                bytes += [0, 0]
            case .string(let text)?:
                bytes.append(Kind.text.rawValue)
                Self.append((options.isEmpty ? text : options.key(of: text)).utf8, to: &bytes)
            case .timestamp(let date)?:
                bytes.append(Kind.date.rawValue)
                Self.append(date.timeIntervalSinceReferenceDate, to: &bytes)
            case .bytes(let data)?:
                bytes.append(Kind.bytes.rawValue)
                Self.append(data, to: &bytes)
            case .reference(let reference)?:
                bytes.append(Kind.reference.rawValue)
                Self.append(reference.recordID.recordName.utf8, to: &bytes)
            case .location?: bytes.append(Kind.location.rawValue)
            case .asset?: bytes.append(Kind.asset.rawValue)
            case .list?: bytes.append(Kind.list.rawValue)
            case .encrypted?: bytes.append(Kind.encrypted.rawValue)
            }
        }
    }

    /// Appends a text, such as the name of a zone or a ``StorageKey``.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - ascending: Whether smaller texts come first.
    public mutating func append(_ text: String, ascending: Bool = true) {
        append(ascending: ascending) { Self.append(text.utf8, to: &$0) }
    }

    /// Appends an integer, such as an insertion number, by which a query orders records whose sort keys are equal.
    ///
    /// - Parameters:
    ///   - number: The integer.
    ///   - ascending: Whether smaller integers come first.
    public mutating func append(_ number: Int64, ascending: Bool = true) {
        append(ascending: ascending) { Self.append(bits: UInt64(bitPattern: number) ^ 1 << 63, to: &$0) }
    }

    /// Appends the common prefix of all texts that begin with a text, for a range of keys; append nothing after it.
    ///
    /// - Parameter beginning: The beginning of the texts, which are values of a field in ascending order.
    public mutating func append(textsBeginningWith beginning: String) {
        bytes.append(Kind.text.rawValue)
        Self.append(beginning.utf8, to: &bytes)
        bytes.removeLast(2)
    }

    /// The smallest bytes after all keys that begin with these bytes; `nil` if there are none.
    ///
    /// The keys that begin with `key` are those from `key.bytes` up to, but not including, `key.end`.
    public var end: [UInt8]? {
        var end = bytes
        while let last = end.popLast() {
            if last < .max { return end + [last + 1] }
        }
        return nil
    }
}

extension OrderedBytes: Comparable {
    /// Returns whether the bytes precede others in lexicographic order.
    ///
    /// - Parameters:
    ///   - left: An encoding.
    ///   - right: Another encoding.
    /// - Returns: Whether `left` precedes `right`.
    public static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension OrderedBytes {
    /// The first byte of a value, which a ``Sort`` compares before the values.
    private enum Kind: UInt8 {
        case none, notANumber, number, text, date, bytes, reference, location, asset, list, encrypted
    }

    private mutating func append(ascending: Bool, _ body: (inout [UInt8]) -> Void) {
        if ascending { return body(&bytes) }
        let start = bytes.count
        body(&bytes)
        for index in start..<bytes.count { bytes[index] = ~bytes[index] }
    }

    private static func append(bits: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: bits.bigEndian) { bytes += $0 }
    }

    private static func append(_ number: Double, to bytes: inout [UInt8]) {
        // Both zeros, positive and negative, have the same bytes.
        let bits = number == 0 ? 0 : number.bitPattern
        append(bits: bits >> 63 == 0 ? bits | 1 << 63 : ~bits, to: &bytes)
    }

    /// Appends the greatest double that is at most the integer, and the distance between both.
    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        var floor = Double(number)
        // The conversion may round up, at most to 2 to the power of 63.
        if Int64(exactly: floor).map({ $0 > number }) ?? true { floor = floor.nextDown }
        append(floor, to: &bytes)
        let distance = UInt16(clamping: number - (Int64(exactly: floor) ?? number))
        bytes += [UInt8(distance >> 8), UInt8(distance & 0xFF)]
    }

    /// Appends bytes and two zeros as their end; a 255 follows each zero within them.
    private static func append(_ content: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        for byte in content {
            bytes.append(byte)
            if byte == 0 { bytes.append(.max) }
        }
        bytes += [0, 0]
    }
}
