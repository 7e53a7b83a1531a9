import CSQLite
import Cabinet
import Foundation

/// A prepared statement, with bound values and the rows of its result.
final class Statement {
    let handle: DatabaseHandle
    let sql: String
    let pointer: OpaquePointer
    /// The number of records in the statement's last result.
    var lastCount = 0
    /// Whether the statement has returned a page.
    var wasUsed = false
    /// Another plan for the same query, if one was searched for.
    var alternativePlan: AlternativePlan?

    init(_ sql: String, on handle: DatabaseHandle) throws {
        handle.willPrepare?(sql)
        var text = sql
        var pointer: OpaquePointer?
        let code = text.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                sqlite3_prepare_v3(
                    handle.pointer, text.baseAddress, Int32(clamping: text.count), UInt32(SQLITE_PREPARE_PERSISTENT),
                    &pointer,
                    nil)
            }
        }
        guard code == SQLITE_OK, let pointer else {
            throw handle.functionFailure.take() ?? handle.failure(code, in: sql).error
        }
        self.handle = handle
        self.sql = sql
        self.pointer = pointer
    }

    deinit {
        sqlite3_finalize(pointer)
    }

    /// Whether the statement has returned a row, and was neither reset nor run to its end.
    var isRunning: Bool { sqlite3_stmt_busy(pointer) != 0 }

    /// Moves to the next row.
    ///
    /// - Returns: Whether there is another row.
    func step() throws -> Bool {
        try handle.briefLimit.checkStep()
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw handle.functionFailure.take() ?? handle.failure(code, in: sql).error
        }
    }

    /// Runs a statement without rows, and resets it.
    func run() throws {
        defer { reset() }
        _ = try step()
    }

    /// Resets the statement, which releases its locks.
    func reset() {
        sqlite3_reset(pointer)
    }
}

// MARK: - Binding

extension Statement {
    func bind(_ value: String, at index: Int32) throws {
        var value = value
        let code = value.withUTF8 { text in
            // A null pointer would bind NULL.
            text.withMemoryRebound(to: CChar.self) { text in
                sqlite3_bind_text64(
                    pointer, index, text.baseAddress ?? Self.empty, UInt64(text.count), Self.transient,
                    UInt8(SQLITE_UTF8))
            }
        }
        try check(code)
    }

    func bind(_ value: Int64, at index: Int32) throws {
        try check(sqlite3_bind_int64(pointer, index, value))
    }

    func bind(_ value: Double, at index: Int32) throws {
        try check(sqlite3_bind_double(pointer, index, value))
    }

    func bind(_ value: Data, at index: Int32) throws {
        let code = value.withUnsafeBytes { bytes in
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(pointer, index, 0)
                : sqlite3_bind_blob64(pointer, index, bytes.baseAddress, UInt64(bytes.count), Self.transient)
        }
        try check(code)
    }

    func bindNull(at index: Int32) throws {
        try check(sqlite3_bind_null(pointer, index))
    }

    /// The largest number of a parameter.
    var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }

    func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw handle.failure(code, in: sql).error }
    }

    /// Makes SQLite copy the bound value.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    // Unchecked, and safe: the byte is never written or freed.
    nonisolated(unsafe) private static let empty: UnsafePointer<CChar> = {
        let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        byte.initialize(to: 0)
        return UnsafePointer(byte)
    }()
}

// MARK: - Columns

extension Statement {
    /// The number of columns in a row.
    var columnCount: Int32 { sqlite3_column_count(pointer) }

    /// A column's value in the current row, valid until the next step.
    func value(_ column: Int32) -> ColumnValue {
        ColumnValue(pointer: sqlite3_column_value(pointer, column))
    }

    /// The storage class of a column's value in the current row: `SQLITE_NULL`, `SQLITE_TEXT` and so on.
    func kind(_ column: Int32) -> Int32 {
        sqlite3_column_type(pointer, column)
    }

    func int64(_ column: Int32) -> Int64 {
        sqlite3_column_int64(pointer, column)
    }

    func double(_ column: Int32) -> Double {
        sqlite3_column_double(pointer, column)
    }

    /// The text of a column; `nil` if it is not text, or not valid UTF-8.
    func string(_ column: Int32) -> String? {
        string(column, kind(column))
    }

    /// The text of a column whose storage class is known.
    func string(_ column: Int32, _ kind: Int32) -> String? {
        kind == SQLITE_TEXT ? Self.string(utf8(column)) : nil
    }

    /// Decodes UTF-8; returns `nil` if it is invalid.
    static func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        // Decoding with repair is the library's fastest way to create a string. Comparing the result shows whether
        // anything was repaired.
        var text = String(decoding: bytes, as: UTF8.self)
        let isSame = text.withUTF8 { text in
            guard text.count == bytes.count else { return false }
            guard let left = text.baseAddress, let right = bytes.baseAddress else { return true }
            return memcmp(left, right, bytes.count) == 0
        }
        return isSame ? text : nil
    }

    /// The bytes of a column's text, valid until the next step.
    func utf8(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        // Get the text first: sqlite3_column_text may convert the value, and so change its size.
        let text = sqlite3_column_text(pointer, column)
        return UnsafeBufferPointer(start: text, count: text == nil ? 0 : Int(sqlite3_column_bytes(pointer, column)))
    }

    func data(_ column: Int32) -> Data {
        let bytes = sqlite3_column_blob(pointer, column)
        let count = Int(sqlite3_column_bytes(pointer, column))
        return bytes.map { Data(bytes: $0, count: count) } ?? Data()
    }
}

/// A column's value, which answers several questions after one lookup.
///
/// SQLite returns it unprotected. That is safe because only one thread uses the connection at a time.
struct ColumnValue {
    fileprivate let pointer: OpaquePointer?

    /// The storage class.
    var kind: Int32 { sqlite3_value_type(pointer) }

    var int64: Int64 { sqlite3_value_int64(pointer) }

    var double: Double { sqlite3_value_double(pointer) }

    /// The bytes of the text.
    var utf8: UnsafeBufferPointer<UInt8> {
        // Get the text first: sqlite3_value_text may convert the value, and so change its size.
        let text = sqlite3_value_text(pointer)
        return UnsafeBufferPointer(start: text, count: text == nil ? 0 : Int(sqlite3_value_bytes(pointer)))
    }
}
