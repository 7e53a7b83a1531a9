/// Collects the values of a statement's numbered parameters while its text is built.
///
/// Values never become part of the text.
package struct SQLBuilder<Value: Sendable>: Sendable {
    package private(set) var values: [Value]
    /// The sign before a parameter's number: `?` or `$`.
    private let sign: String

    /// Creates a builder.
    ///
    /// - Parameter values: The values of the first parameters.
    package init(sign: String, values: [Value] = []) {
        self.sign = sign
        self.values = values
    }

    /// Adds a value.
    ///
    /// - Returns: The parameter in SQL, such as `?7`.
    package mutating func parameter(_ value: Value) -> String {
        values.append(value)
        return "\(sign)\(values.count)"
    }

    /// Removes all values after the first `count`.
    package mutating func truncate(to count: Int) {
        if values.count > count { values.removeLast(values.count - count) }
    }
}
