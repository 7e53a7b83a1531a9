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
///
/// `Field<String>("city", index: .queryable)` gives each record type that has a field of this JSON an index of the member.
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
        return field.following(path.reading(Value.Compared.fieldType), as: FieldPath.JSON.escaped(field.key))
    }
}

extension Record.FieldKey {
    /// Returns the beginning of a path into the JSON of this field, or of a value in JSON.
    fileprivate func reading(_ type: FieldType) -> Record.FieldKey { "\(self).\(FieldPath.JSON.operator(of: type))" }
}

extension JSONRecordValue {
    /// Returns the paths from a field with this JSON to the members that are declared with indexes, and their options.
    ///
    /// - Parameters:
    ///   - key: The field, or the path to the JSON within another one.
    ///   - outer: The types around this one. A type within itself would have members without end.
    static func indexes(
        from key: Record.FieldKey, within outer: Set<ObjectIdentifier> = []
    ) -> [(path: Record.FieldKey, options: Schema.Field.Options)] {
        let types = outer.union([ObjectIdentifier(Self.self)])
        if types.count == outer.count { return [] }
        return Mirror(reflecting: Fields()).children.compactMap { ($0.value as? any DefinedField)?.definition }
            .flatMap { field in
                let path = "\(key.reading(field.type)).\(FieldPath.JSON.escaped(field.key))"
                return (field.options.isEmpty ? [] : [(path, field.options)])
                    + (field.jsonType?.indexes(from: path, within: types) ?? [])
            }
    }
}
