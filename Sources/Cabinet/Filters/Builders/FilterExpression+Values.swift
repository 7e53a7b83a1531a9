extension Filter {
    /// The value of a field, of a system field such as `creationDate`, or at the end of a key path.
    ///
    /// ```swift
    /// let query = Query(
    ///     recordType: "Items",
    ///     filter: .field("number") > 3 && .field("list.name").beginsWith("M"))
    /// ```
    ///
    /// - Parameter key: The field's name, or a key path: names with dots between them.
    public static func field(_ key: Record.FieldKey) -> Expression {
        Expression.field(key)
    }

    /// A value on the left side of a comparison.
    ///
    /// ```swift
    /// let query = Query(
    ///     recordType: "Items", filter: .value("urgent").isIn(.field("tags")))
    /// ```
    ///
    /// - Parameter value: Text, a number, a date, a list …; `nil` for the language's NIL.
    public static func value(_ value: (any FilterArgument)?) -> Expression {
        Expression(value)
    }

    /// A variable, which ``substituting(_:)`` replaces with a value; in format strings `$name`.
    ///
    /// - Parameter name: The name, without the dollar sign.
    public static func variable(_ name: String) -> Expression {
        Expression.variable(name)
    }
}

extension Filter.Expression {
    /// A value, to stand beside fields: `.value(3) < .field("number")`.
    ///
    /// - Parameter value: Text, a number, a date, a list …; `nil` for the language's NIL.
    public static func value(_ value: (any FilterArgument)?) -> Filter.Expression {
        Filter.Expression(value)
    }

    /// Creates a constant from a Swift value.
    ///
    /// - Parameter value: Text, a number, a date, a list …; `nil` for the language's NIL. A value that no field can
    ///   hold, such as `UInt64.max`, makes a filter that is refused when it is used.
    public init(_ value: (any FilterArgument)?) {
        guard let value else {
            self = .constant(nil)
            return
        }
        guard let fieldValue = value.filterValue else {
            self = .unstorable("\(value) (\(type(of: value)))")
            return
        }
        self.init(fieldValue)
    }

    /// A constant; the empty list has no type, whichever list it was.
    init(_ value: FieldValue) {
        if case .list(let list) = value, list.count == 0 {
            self = .list([])
        } else {
            self = .constant(value)
        }
    }

    /// Creates a list of operands; a constant list if all of them are constants of one type.
    ///
    /// - Parameter elements: The elements of the list.
    /// - Complexity: O(*n*) in the number of elements.
    public init(list elements: [Filter.Expression]) {
        self = Self.constantList(elements).map { .constant(.list($0)) } ?? Filter.Expression.list(elements).ifShallow
    }

    /// The elements as a constant list; `nil` unless they are constants of one type, and at least one.
    static func constantList(_ elements: [Filter.Expression]) -> FieldList? {
        guard case .constant(let first?)? = elements.first, !first.fieldType.isList else { return nil }
        var values: [FieldValue] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            guard case .constant(let value?) = element else { return nil }
            values.append(value)
        }
        return FieldList(values, of: first.fieldType.scalar)
    }
}
