/// A `Codable` type whose values are stored as JSON, in a field of text.
///
/// ```swift
/// struct Address: JSONRecordValue {
///     var street: String
///     var city: String
/// }
///
/// let address = Field<Address?>("address")
/// ```
///
/// The field is a STRING with the JSON of the value, with its keys sorted, so that equal values are stored alike and every client can
/// read them. A value that JSON cannot express is refused when the record is saved.
///
/// Filters and orders read the members that a nested ``Fields`` declares: `$0.address.json.city == "Rome"`. Without a
/// declaration, `.field("address.@string.city") == "Rome"` does the same, see <doc:FilterOperators>.
public protocol JSONRecordValue: RecordValue, Codable {
    /// The members that filters and orders read; by default none.
    associatedtype Fields: JSONFields = NoJSONFields
}

extension JSONRecordValue {
    /// STRING.
    public static var fieldType: FieldType { .string }

    /// The JSON of the value, or `nil` if it cannot be encoded.
    public var fieldValue: FieldValue? {
        JSONText(of: self).map { .string($0.text) }
    }

    /// Reads the JSON of a value; anything else gives `nil`.
    public init?(fieldValue: FieldValue) {
        guard case .string(let text) = fieldValue, let value = try? JSONText.decode(Self.self, from: text) else {
            return nil
        }
        self = value
    }
}
