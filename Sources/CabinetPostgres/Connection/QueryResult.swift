import CPostgreSQL
import Cabinet
import Foundation

/// The rows that a statement has returned, in PostgreSQL's binary format.
///
/// Reading never traps, even on an invalid answer: a value of an unexpected type or length is `nil`, and the caller reports it
/// with ``PostgresFailure/damaged(_:)``.
final class QueryResult {
    private let handle: OpaquePointer
    let count: Int
    private let types: [UInt32]

    /// Takes ownership of a result of libpq.
    init(_ handle: OpaquePointer) {
        self.handle = handle
        count = Int(PQntuples(handle))
        types = (0..<max(PQnfields(handle), 0)).map { PQftype(handle, $0) }
    }

    deinit {
        PQclear(handle)
    }

    /// The number of rows that the statement has changed.
    var affectedCount: Int {
        PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// The memory that the rows take, in bytes.
    var memory: Int { PQresultMemorySize(handle) }

    subscript(row: Int) -> QueryRow { QueryRow(result: self, row: Int32(clamping: row)) }

    /// All rows, in their order.
    var rows: some Sequence<QueryRow> {
        (0..<count).lazy.map { self[$0] }
    }

    /// The first row; `nil` if the result is empty.
    var first: QueryRow? { count > 0 ? self[0] : nil }

    /// Returns the bytes of a value, valid as long as the result; `nil` for NULL, and outside the result.
    fileprivate func bytes(_ row: Int32, _ column: Int) -> UnsafeRawBufferPointer? {
        guard types.indices.contains(column), row >= 0, row < count else { return nil }
        let column = Int32(truncatingIfNeeded: column)
        let length = PQgetlength(handle, row, column)
        // A value with a length is not NULL, which saves a call.
        guard length > 0 || PQgetisnull(handle, row, column) == 0, let start = PQgetvalue(handle, row, column) else {
            return nil
        }
        return UnsafeRawBufferPointer(start: start, count: Int(length))
    }

    fileprivate func type(_ column: Int) -> UInt32 {
        types.indices.contains(column) ? types[column] : 0
    }
}

/// A row of a result.
struct QueryRow {
    private let result: QueryResult
    private let row: Int32

    fileprivate init(result: QueryResult, row: Int32) {
        self.result = result
        self.row = row
    }

    /// Returns whether a value is NULL, or outside the result.
    func isNull(_ column: Int) -> Bool { result.bytes(row, column) == nil }

    /// Returns the bytes of a value, valid as long as the result.
    func bytes(_ column: Int) -> UnsafeRawBufferPointer? { result.bytes(row, column) }

    /// Returns a value that is not NULL, valid as long as the result.
    func cell(_ column: Int) -> QueryCell? {
        result.bytes(row, column).map { QueryCell(bytes: $0, type: result.type(column)) }
    }

    /// Returns a whole number of any width.
    func integer(_ column: Int) -> Int64? { cell(column)?.integer }

    /// Returns a floating-point number.
    func double(_ column: Int) -> Double? { cell(column)?.double }

    func boolean(_ column: Int) -> Bool? { cell(column)?.boolean }

    /// Returns stored text without decoding it.
    func text(_ column: Int) -> String? { cell(column)?.text }

    /// Returns the text that a stored text encodes.
    func decodedText(_ column: Int) -> String? { cell(column)?.decodedText }

    func data(_ column: Int) -> Data? { cell(column)?.data }

    func integers(_ column: Int) -> [Int64?]? {
        array(column, types: [20, 21, 23]) { bytes, type in
            switch (type, bytes.count) {
            case (20, 8): bytes.bigEndian(Int64.self, at: 0)
            case (23, 4): bytes.bigEndian(Int32.self, at: 0).map(Int64.init)
            case (21, 2): bytes.bigEndian(Int16.self, at: 0).map(Int64.init)
            default: nil
            }
        }
    }

    func doubles(_ column: Int) -> [Double?]? {
        array(column, types: [701]) { bytes, _ in
            bytes.count == 8 ? bytes.bigEndian(UInt64.self, at: 0).map(Double.init(bitPattern:)) : nil
        }
    }

    func texts(_ column: Int) -> [String?]? {
        array(column, types: [25, 1043]) { bytes, _ in String(validating: bytes, as: UTF8.self) }
    }

    func byteLists(_ column: Int) -> [Data?]? {
        array(column, types: [17]) { bytes, _ in Data(bytes) }
    }

    /// Returns the elements of a one-dimensional array.
    private func array<Element>(
        _ column: Int, types: Set<UInt32>, _ element: (UnsafeRawBufferPointer, UInt32) -> Element?
    ) -> [Element?]? {
        guard let bytes = result.bytes(row, column), let dimensions = bytes.bigEndian(Int32.self, at: 0),
            let type = bytes.bigEndian(UInt32.self, at: 8), types.contains(type)
        else { return nil }
        if dimensions == 0 { return [] }
        guard dimensions == 1, let count = bytes.bigEndian(Int32.self, at: 12), count >= 0 else { return nil }
        var elements: [Element?] = []
        // Do not reserve memory for more elements than the bytes can hold, because the count may be wrong.
        elements.reserveCapacity(min(Int(count), bytes.count / 4))
        var offset = 20
        for _ in 0..<count {
            guard let length = bytes.bigEndian(Int32.self, at: offset) else { return nil }
            offset += 4
            if length == -1 {
                elements.append(nil)
                continue
            }
            guard length >= 0, Int(length) <= bytes.count - offset,
                let value = element(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(length)]), type)
            else { return nil }
            elements.append(value)
            offset += Int(length)
        }
        return elements
    }
}

/// A value of a row that is not NULL, valid as long as the result.
struct QueryCell {
    let bytes: UnsafeRawBufferPointer
    fileprivate let type: UInt32

    /// A whole number of any width.
    var integer: Int64? {
        switch (type, bytes.count) {
        case (20, 8): bytes.bigEndian(Int64.self, at: 0)
        case (23, 4): bytes.bigEndian(Int32.self, at: 0).map(Int64.init)
        case (21, 2): bytes.bigEndian(Int16.self, at: 0).map(Int64.init)
        case (26, 4): bytes.bigEndian(UInt32.self, at: 0).map(Int64.init)
        default: nil
        }
    }

    /// A floating-point number.
    var double: Double? {
        guard type == 701, bytes.count == 8 else { return nil }
        return bytes.bigEndian(UInt64.self, at: 0).map(Double.init(bitPattern:))
    }

    var boolean: Bool? { type == 16 && bytes.count == 1 ? bytes[0] != 0 : nil }

    /// Stored text without decoding.
    var text: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }

    /// The text that a stored text encodes.
    var decodedText: String? { utf8.map(StoredText.decoded) }

    /// The bytes of stored text, which the server has validated as UTF-8.
    var utf8: UnsafeRawBufferPointer? {
        switch type {
        // Text, varchar, name, unknown, char, json or xml.
        case 25, 1043, 19, 705, 1042, 114, 142: bytes
        default: nil
        }
    }

    var data: Data? { type == 17 ? Data(bytes) : nil }
}

extension UnsafeRawBufferPointer {
    /// Whether a byte occurs.
    func contains(_ byte: UInt8) -> Bool {
        baseAddress.map { memchr($0, Int32(byte), count) != nil } ?? false
    }

    /// Returns the number at an offset; `nil` if it does not fit there.
    fileprivate func bigEndian<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number? {
        guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return nil }
        return Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}
