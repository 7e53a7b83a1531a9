import CSQLite
import Cabinet
import Foundation

/// A prepared statement: values are bound to it by position, and it is stepped through its rows.
final class Statement {
    let handle: DatabaseHandle
    let sql: String
    let pointer: OpaquePointer
    /// How many records the statement found last.
    var lastCount = 0
    /// Whether a page was found with the statement.
    var wasUsed = false
    /// Another way to find what the statement finds, if it was looked for.
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

    /// Moves to the next row.
    ///
    /// - Returns: Whether there is one.
    func step() throws -> Bool {
        try handle.briefLimit.checkStep()
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw handle.functionFailure.take() ?? handle.failure(code, in: sql).error
        }
    }

    /// Runs a statement that returns no row, and makes it ready to be run again.
    func run() throws {
        defer { reset() }
        _ = try step()
    }

    /// Ends a run, which also gives up the locks that it holds.
    func reset() {
        sqlite3_reset(pointer)
    }
}

// MARK: - Binding

extension Statement {
    func bind(_ value: String, at index: Int32) throws {
        var value = value
        let code = value.withUTF8 { text in
            // A pointer that is nil would mean NULL.
            text.withMemoryRebound(to: CChar.self) { text in
                sqlite3_bind_text64(
                    pointer, index, text.baseAddress ?? Self.empty, UInt64(text.count), Self.transient,
                    UInt8(SQLITE_UTF8))
            }
        }
        try check(code)
    }

    func bind(_ value: String?, at index: Int32) throws {
        if let value { try bind(value, at: index) } else { try bindNull(at: index) }
    }

    func bind(_ value: Int64, at index: Int32) throws {
        try check(sqlite3_bind_int64(pointer, index, value))
    }

    func bind(_ value: Int64?, at index: Int32) throws {
        if let value { try bind(value, at: index) } else { try bindNull(at: index) }
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

    /// The highest number of a parameter.
    var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }

    func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw handle.failure(code, in: sql).error }
    }

    /// Tells SQLite to copy what is bound.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    // Unchecked, and safe: the byte is never written and never freed.
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

    /// The text of a column, or `nil` if it holds no text, or bytes that are no UTF-8.
    func string(_ column: Int32) -> String? {
        string(column, kind(column))
    }

    /// The text of a column whose storage class is known.
    func string(_ column: Int32, _ kind: Int32) -> String? {
        kind == SQLITE_TEXT ? Self.string(utf8(column)) : nil
    }

    /// The text that bytes are, or `nil` if they are no UTF-8.
    static func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        // Repairing is the library's fastest way to make text of bytes; then we look whether there was something to
        // repair.
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
        // The text comes first: asking for it may convert the value, and so change the number of bytes.
        let text = sqlite3_column_text(pointer, column)
        return UnsafeBufferPointer(start: text, count: text == nil ? 0 : Int(sqlite3_column_bytes(pointer, column)))
    }

    func data(_ column: Int32) -> Data {
        let bytes = sqlite3_column_blob(pointer, column)
        let count = Int(sqlite3_column_bytes(pointer, column))
        return bytes.map { Data(bytes: $0, count: count) } ?? Data()
    }
}

/// A column's value, looked up once to be asked several things.
///
/// SQLite calls it unprotected, which makes no difference in a connection that is opened for one thread at a time, as ours are.
struct ColumnValue {
    fileprivate let pointer: OpaquePointer?

    /// The storage class.
    var kind: Int32 { sqlite3_value_type(pointer) }

    var int64: Int64 { sqlite3_value_int64(pointer) }

    var double: Double { sqlite3_value_double(pointer) }

    /// The bytes of the text.
    var utf8: UnsafeBufferPointer<UInt8> {
        // The text comes first: asking for it may convert the value, and so change the number of bytes.
        let text = sqlite3_value_text(pointer)
        return UnsafeBufferPointer(start: text, count: text == nil ? 0 : Int(sqlite3_value_bytes(pointer)))
    }
}
