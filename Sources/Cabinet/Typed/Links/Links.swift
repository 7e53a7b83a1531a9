/// A field that points to many records.
///
/// ```swift
/// let tags = Links<Tags>("tags", onDelete: .nullify)
/// ```
///
/// The value is a list of IDs; a record without a value has an empty one. In a filter, `$0.tags.contains(food.id)` compares
/// the IDs, and `$0.tags.any.to.name == "food"` the fields of the targets.
public struct Links<Target: LinkTarget>: SettableField {
    /// The IDs of the targets.
    public typealias Value = [TypedID<Target>]

    /// The IDs of the targets.
    public typealias Compared = [TypedID<Target>]

    /// The name of the field in the database, or a key path through links.
    public var key: Record.FieldKey { fieldName.text }

    @usableFromInline let fieldName: FieldName

    /// The rule that applies to the record when one of its targets is deleted.
    public let deleteRule: Reference.Action

    /// Declares a link to many records.
    ///
    /// - Parameters:
    ///   - key: The name of the field in the database.
    ///   - deleteRule: The rule that applies to the record when one of its targets is deleted.
    public init(_ key: Record.FieldKey, onDelete deleteRule: Reference.Action = .none) {
        fieldName = FieldName(key)
        self.deleteRule = deleteRule
    }

    /// Returns the IDs of the targets.
    @inlinable
    public func value(in record: Record) -> [TypedID<Target>] {
        guard case .list(.reference(let references)) = record.fieldValue(named: fieldName) else { return [] }
        return references.map { TypedID($0.recordID) }
    }

    /// Sets the targets in a record.
    @inlinable
    public func set(_ value: [TypedID<Target>], in record: inout Record) {
        let references = value.map { Reference(recordID: $0.recordID, action: deleteRule) }
        record.setFieldValue(.list(.reference(references)), forKey: fieldName.text)
    }

    /// Returns the same links of the records that another link points to.
    public func following(_ link: Record.FieldKey) -> Links<Target> {
        Links("\(link).\(key)", onDelete: deleteRule)
    }
}

extension Links: DefinedField {
    var definition: FieldDefinition {
        FieldDefinition(key: key, type: .list(of: .reference), action: deleteRule, contentType: Value.self)
    }
}
