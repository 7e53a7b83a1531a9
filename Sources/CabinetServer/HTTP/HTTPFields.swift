/// The fields of a request's or response's head, in order, in which a name can appear several times.
///
/// ```swift
/// var fields = HTTPFields()
/// try fields.set(.contentType, to: "application/json")
/// let type = fields[.contentType]
/// ```
public struct HTTPFields: Sendable, Hashable, RandomAccessCollection {
    private var fields: [HTTPField] = []

    /// Creates an empty list.
    public init() {}

    /// Creates a list of fields.
    ///
    /// - Parameter fields: The fields, in order.
    public init(_ fields: some Sequence<HTTPField>) {
        self.fields = Array(fields)
    }

    /// The position of the first field.
    public var startIndex: Int { fields.startIndex }

    /// The position after the last field.
    public var endIndex: Int { fields.endIndex }

    /// The field at a position.
    ///
    /// - Parameter position: A position of the list.
    public subscript(position: Int) -> HTTPField { fields[position] }

    /// The value of a name, or `nil` if no field has the name.
    ///
    /// Several values are joined by `, `, as RFC 9110 says.
    ///
    /// - Parameter name: The name of the fields.
    public subscript(name: HTTPField.Name) -> String? {
        var joined: String?
        for field in fields where field.name == name {
            joined = joined.map { "\($0), \(field.value)" } ?? field.value
        }
        return joined
    }

    /// Returns the values of a name, in order.
    ///
    /// - Parameter name: The name of the fields.
    /// - Returns: A value for each field of that name.
    public func values(of name: HTTPField.Name) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// Adds a field at the end.
    ///
    /// - Parameter field: The field.
    public mutating func append(_ field: HTTPField) {
        fields.append(field)
    }

    /// Replaces all fields of a name by one.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The new value, or `nil` to remove the fields.
    /// - Throws: ``HTTPError`` with the status 500 if the value contains a control character. Then nothing changes.
    public mutating func set(_ name: HTTPField.Name, to value: String?) throws {
        let field = try value.map { try HTTPField(name: name, value: $0) }
        fields.removeAll { $0.name == name }
        if let field { fields.append(field) }
    }

    /// Adds a field that a listener has checked: its value has no control character but tabs.
    package mutating func append(checked name: HTTPField.Name, value: String) {
        fields.append(HTTPField(name: name, uncheckedValue: value))
    }
}
