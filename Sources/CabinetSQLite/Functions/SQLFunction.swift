import CSQLite
import Cabinet

/// A function that statements call by name, written in Swift, so that SQL answers with the core's own rules.
///
/// The functions exist on Cabinet's connections alone. No index, trigger or view of a file uses them, and SQLite is told
/// to refuse that: another program, such as the sqlite3 shell, reads and writes the file without them.
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

    /// All functions that compute a value of values.
    static let all = texts + places + numbers + lists + comparisons

    /// What a function is like: the same arguments give the same value, and only statements call it.
    static let traits = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
}

/// What the last function that failed has to say.
///
/// SQLite passes on a text alone; the error itself waits here for the statement that fails of it.
final class SQLFunctionFailure {
    private var error: (any Error)?

    /// Keeps the error of a statement that the progress handler ends.
    func note(_ error: any Error) {
        self.error = error
    }

    func note(_ error: any Error, in context: OpaquePointer?) {
        self.error = error
        let message = (error as? CabinetError)?.message ?? "\(error)"
        sqlite3_result_error(context, message, -1)
    }

    /// The error, which is then forgotten.
    func take() -> (any Error)? {
        defer { error = nil }
        return error
    }
}

extension DatabaseHandle {
    /// Makes functions known to the statements of this connection.
    func add(_ functions: [SQLFunction]) throws {
        for function in functions {
            let box = Unmanaged.passRetained(RegisteredFunction(function, functionFailure))
            // SQLite releases the box, also if it does not take the function.
            let code = sqlite3_create_function_v2(
                pointer, function.name, Int32(function.argumentCount), SQLFunction.traits, box.toOpaque(),
                callFunction, nil, nil, { $0.map { Unmanaged<RegisteredFunction>.fromOpaque($0).release() } })
            if code != SQLITE_OK { throw failure(code).error }
        }
    }
}

/// What SQLite keeps for a function.
private final class RegisteredFunction {
    let function: SQLFunction
    let failure: SQLFunctionFailure

    init(_ function: SQLFunction, _ failure: SQLFunctionFailure) {
        self.function = function
        self.failure = failure
    }
}

/// What SQLite calls: no error leaves it but as a result.
private func callFunction(context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let data = sqlite3_user_data(context) else { return sqlite3_result_null(context) }
    let registered = Unmanaged<RegisteredFunction>.fromOpaque(data).takeUnretainedValue()
    do {
        let arguments = SQLArguments(context: context, values: values, count: Int(count))
        SQLArguments.give(try registered.function.body(arguments), to: context)
    } catch {
        registered.failure.note(error, in: context)
    }
}
