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
            try register(function, function.name, function.argumentCount, call: callFunction)
        }
    }

    /// Registers a scalar function by its call, or an aggregate function by its step and its end.
    func register<Content>(
        _ content: Content, _ name: String, _ argumentCount: Int, call: SQLCallback? = nil, step: SQLCallback? = nil,
        end: (@convention(c) (OpaquePointer?) -> Void)? = nil
    ) throws {
        let box = Unmanaged.passRetained(RegisteredFunction(content, functionFailure))
        // SQLite releases the box even if the registration fails.
        let code = sqlite3_create_function_v2(
            pointer, name, Int32(argumentCount), SQLFunction.traits, box.toOpaque(), call, step, end,
            { $0.map { Unmanaged<AnyObject>.fromOpaque($0).release() } })
        if code != SQLITE_OK { throw failure(code).error }
    }
}

typealias SQLCallback = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

/// The object that SQLite keeps for a function.
final class RegisteredFunction<Content> {
    let content: Content
    let failure: SQLFunctionFailure

    init(_ content: Content, _ failure: SQLFunctionFailure) {
        self.content = content
        self.failure = failure
    }

    /// Returns the object of a call.
    static func of(_ context: OpaquePointer?) -> Self? {
        sqlite3_user_data(context).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }
}

/// The entry point for SQLite.
///
/// An error is returned as the result of the call.
private func callFunction(context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let registered = RegisteredFunction<SQLFunction>.of(context) else { return sqlite3_result_null(context) }
    do {
        let arguments = SQLArguments(context: context, values: values, count: Int(count))
        SQLArguments.setResult(try registered.content.body(arguments), of: context)
    } catch {
        registered.failure.record(error, in: context)
    }
}
