import CSQLite
import Cabinet
import Foundation

/// The arguments of a function call, which may have any type if the file was changed by hand.
struct SQLArguments {
    private let context: OpaquePointer?
    private let values: UnsafeMutablePointer<OpaquePointer?>?
    let count: Int

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

    /// The text of an argument, with invalid UTF-8 repaired; `nil` if it is not text.
    func text(_ index: Int) -> String? {
        bytes(index).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The UTF-8 bytes of a text argument, valid during the call.
    func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
        guard kind(index) == SQLITE_TEXT, let value = pointer(index) else { return nil }
        // Get the text first: sqlite3_value_text may convert the value, and so change its size.
        guard let text = sqlite3_value_text(value) else { return nil }
        return UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
    }

    /// The integer value of an argument; `nil` if it is not an integer.
    func integer(_ index: Int) -> Int64? {
        guard kind(index) == SQLITE_INTEGER, let value = pointer(index) else { return nil }
        return sqlite3_value_int64(value)
    }

    /// The numeric value of an argument; `nil` if it is not a number.
    func number(_ index: Int) -> FieldValue? {
        guard let value = pointer(index) else { return nil }
        return switch kind(index) {
        case SQLITE_INTEGER: .int64(sqlite3_value_int64(value))
        case SQLITE_FLOAT: .double(sqlite3_value_double(value))
        default: nil
        }
    }

    /// The value of an argument, with its own type.
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

    /// Returns an object created from an argument, and caches it for the statement if the argument is constant.
    func kept<Object: AnyObject>(_ index: Int, make: () throws -> Object) rethrows -> Object {
        // SQLite releases an object of another type, which is replaced.
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

    /// Sets the result of a call.
    static func setResult(_ value: SQLValue?, of context: OpaquePointer?) {
        switch value {
        case nil: sqlite3_result_null(context)
        case .integer(let number)?: sqlite3_result_int64(context, number)
        // Not-a-number becomes NULL, as the filter language requires.
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

    /// Makes SQLite copy the value.
    private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
