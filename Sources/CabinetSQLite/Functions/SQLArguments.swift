import CSQLite
import Cabinet
import Foundation

/// The arguments of one call of a function; a file that was changed by hand may pass anything.
struct SQLArguments {
    private let context: OpaquePointer?
    private let values: UnsafeMutablePointer<OpaquePointer?>?
    private let count: Int

    init(context: OpaquePointer?, values: UnsafeMutablePointer<OpaquePointer?>?, count: Int) {
        self.context = context
        self.values = values
        self.count = count
    }

    private func pointer(_ index: Int) -> OpaquePointer? {
        index < count ? values?[index] : nil
    }

    private func kind(_ index: Int) -> Int32 {
        pointer(index).map { sqlite3_value_type($0) } ?? SQLITE_NULL
    }

    func isNull(_ index: Int) -> Bool { kind(index) == SQLITE_NULL }

    /// The text of an argument, or `nil` if it is none; bytes that are no UTF-8 are repaired.
    func text(_ index: Int) -> String? {
        bytes(index).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The UTF-8 bytes of an argument that is text, valid during the call.
    func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
        guard kind(index) == SQLITE_TEXT, let value = pointer(index) else { return nil }
        // The text comes first: asking for it may convert the value, and so change the number of bytes.
        guard let text = sqlite3_value_text(value) else { return nil }
        return UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
    }

    /// The whole number that an argument is, or `nil` if it is none.
    func integer(_ index: Int) -> Int64? {
        guard kind(index) == SQLITE_INTEGER, let value = pointer(index) else { return nil }
        return sqlite3_value_int64(value)
    }

    /// The number that an argument is, or `nil` if it is none.
    func number(_ index: Int) -> FieldValue? {
        guard let value = pointer(index) else { return nil }
        return switch kind(index) {
        case SQLITE_INTEGER: .int64(sqlite3_value_int64(value))
        case SQLITE_FLOAT: .double(sqlite3_value_double(value))
        default: nil
        }
    }

    /// An argument as it is.
    func value(_ index: Int) -> SQLValue? {
        guard let value = pointer(index) else { return nil }
        switch kind(index) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .double(sqlite3_value_double(value))
        case SQLITE_TEXT: return text(index).map(SQLValue.text)
        case SQLITE_BLOB:
            let bytes = sqlite3_value_blob(value)
            return .bytes(bytes.map { Data(bytes: $0, count: Int(sqlite3_value_bytes(value))) } ?? Data())
        default: return nil
        }
    }

    /// What is made of an argument, kept for the next call if the argument is the same in the whole statement.
    func kept<Object: AnyObject>(_ index: Int, make: () throws -> Object) rethrows -> Object {
        // An object of another type is replaced, and released by SQLite.
        if let known = sqlite3_get_auxdata(context, Int32(index)),
            let object = Unmanaged<AnyObject>.fromOpaque(known).takeUnretainedValue() as? Object
        {
            return object
        }
        let object = try make()
        sqlite3_set_auxdata(context, Int32(index), Unmanaged.passRetained(object as AnyObject).toOpaque()) {
            $0.map { Unmanaged<AnyObject>.fromOpaque($0).release() }
        }
        return object
    }

    /// Makes a value the result of a call.
    static func give(_ value: SQLValue?, to context: OpaquePointer?) {
        switch value {
        case nil: sqlite3_result_null(context)
        case .integer(let number)?: sqlite3_result_int64(context, number)
        // Not-a-number becomes NULL, as the filter language asks.
        case .double(let number)?: sqlite3_result_double(context, number)
        case .text(var text)?:
            text.withUTF8 { bytes in
                guard let start = bytes.baseAddress else { return sqlite3_result_text(context, "", 0, transient) }
                start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    sqlite3_result_text64(context, $0, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
                }
            }
        case .bytes(let data)?:
            data.withUnsafeBytes { bytes in
                bytes.isEmpty
                    ? sqlite3_result_zeroblob(context, 0)
                    : sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), transient)
            }
        }
    }

    /// Tells SQLite to copy what is given.
    private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
