/// A declaration of the members of a ``JSONRecordValue`` that filters and orders read.
///
/// ```swift
/// struct Address: JSONRecordValue {
///     struct Fields: JSONFields {
///         let city = Field<String>("city")
///         let floor = Field<Int?>("floor")
///     }
///
///     var city: String
///     var floor: Int?
/// }
/// ```
///
/// The name of a field is the name of the member in JSON: the property's, unless the type has `CodingKeys` of its own. The type is
/// text, a number, `Bool`, `Date`, or another type that is stored as one of them; or a nested ``JSONRecordValue``. Other
/// members need no declaration.
public protocol JSONFields: Sendable {
    /// Creates the declaration; the compiler writes this initializer.
    init()
}

/// The declaration of a ``JSONRecordValue`` without one.
public struct NoJSONFields: JSONFields {
    /// Creates the declaration.
    public init() {}
}

extension Field where Value.Compared: JSONRecordValue {
    /// The members of the JSON, for filters, orders and aggregates: `$0.address.json.city == "Rome"`.
    public var json: JSONMembers<Value.Compared.Fields> { JSONMembers(path: key) }
}

/// The members of a JSON value, for filters, orders and aggregates.
@dynamicMemberLookup
public struct JSONMembers<Fields: JSONFields>: Sendable {
    let path: Record.FieldKey

    /// A member, which is `nil` if the JSON has none of the name and the type.
    public subscript<Value>(dynamicMember member: KeyPath<Fields, Field<Value>>) -> Field<Value> {
        let field = Fields()[keyPath: member]
        let json = FieldPath.JSON.self
        return field.following("\(path).\(json.operator(of: Value.Compared.fieldType))", as: json.escaped(field.key))
    }
}
