import CSQLite
import Cabinet

/// A function in Swift that statements call by name, so that SQL follows the core's own rules.
///
/// The functions exist only on Cabinet's connections. SQLite refuses to use them in an index, trigger or view of a
/// file, so other programs such as the sqlite3 shell can read and write the file.
struct SQLFunction: Sendable {
    /// The name, which begins with `cabinet_`.
    let name: String
    let argumentCount: Int
    /// Computes the value; `nil` is NULL.
    let body: @Sendable (SQLArguments) throws -> SQLValue?

    init(_ name: String, _ argumentCount: Int, body: @escaping @Sendable (SQLArguments) throws -> SQLValue?) {
        self.name = name
        self.argumentCount = argumentCount
        self.body = body
    }

    /// All scalar functions.
    static let all = texts + places + numbers + lists + comparisons

    /// The flags of each function: it is deterministic, and cannot be called from the schema.
    static let traits = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
}

/// Holds the error of the last function that failed.
///
/// SQLite passes on only a message. The statement that fails takes the error from here.
final class SQLFunctionFailure {
    private var error: (any Error)?

    /// Stores the error of a statement that the progress handler interrupts.
    func record(_ error: any Error) {
        self.error = error
    }

    func record(_ error: any Error, in context: OpaquePointer?) {
        self.error = error
        let message = (error as? CabinetError)?.message ?? "\(error)"
        sqlite3_result_error(context, message, -1)
    }

    /// Returns the error and removes it.
    func take() -> (any Error)? {
        defer { error = nil }
        return error
    }
}

extension DatabaseHandle {
    /// Registers functions with the connection.
    func add(_ functions: [SQLFunction]) throws {
        for function in functions {
            let box = Unmanaged.passRetained(RegisteredFunction(function, functionFailure))
            // SQLite releases the box even if the registration fails.
            let code = sqlite3_create_function_v2(
                pointer, function.name, Int32(function.argumentCount), SQLFunction.traits, box.toOpaque(),
                callFunction, nil, nil, { $0.map { Unmanaged<RegisteredFunction>.fromOpaque($0).release() } })
            if code != SQLITE_OK { throw failure(code).error }
        }
    }
}

/// The object that SQLite keeps for a function.
private final class RegisteredFunction {
    let function: SQLFunction
    let failure: SQLFunctionFailure

    init(_ function: SQLFunction, _ failure: SQLFunctionFailure) {
        self.function = function
        self.failure = failure
    }
}

/// The entry point for SQLite.
///
/// An error is returned as the result of the call.
private func callFunction(context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let data = sqlite3_user_data(context) else { return sqlite3_result_null(context) }
    let registered = Unmanaged<RegisteredFunction>.fromOpaque(data).takeUnretainedValue()
    do {
        let arguments = SQLArguments(context: context, values: values, count: Int(count))
        SQLArguments.setResult(try registered.function.body(arguments), of: context)
    } catch {
        registered.failure.record(error, in: context)
    }
}
