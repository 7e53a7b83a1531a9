/// A field that points to one record of another type, or of the same one.
///
/// ```swift
/// let list = Link<Lists>("list", onDelete: .deleteSelf)
/// let holding = Link<Companies>("holding")
/// let subject = Link<OneOf<Companies, Contacts>>("subject")
/// ```
///
/// The value is the ID of the target, or `nil`. The delete rule is stored in each reference. In a filter, `$0.list` is
/// compared with IDs, and `$0.list.to` leads to the fields of the target: `$0.list.to.name == "Groceries"`.
@dynamicMemberLookup
public struct Link<Target: LinkTarget>: SettableField {
    /// The ID of the target, or `nil`.
    public typealias Value = TypedID<Target>?

    /// The ID of the target.
    public typealias Compared = TypedID<Target>

    /// The name of the field in the database, or a key path through links.
    public var key: Record.FieldKey { fieldName.text }

    @usableFromInline let fieldName: FieldName

    /// The rule that applies to the record when its target is deleted.
    public let deleteRule: Reference.Action

    /// Declares a link to one record.
    ///
    /// - Parameters:
    ///   - key: The name of the field in the database.
    ///   - deleteRule: The rule that applies to the record when its target is deleted.
    public init(_ key: Record.FieldKey, onDelete deleteRule: Reference.Action = .none) {
        fieldName = FieldName(key)
        self.deleteRule = deleteRule
    }

    /// Returns the ID of the target, or `nil` if there is none.
    @inlinable
    public func value(in record: Record) -> TypedID<Target>? {
        guard case .reference(let reference) = record.fieldValue(named: fieldName) else { return nil }
        return TypedID(reference.recordID)
    }

    /// Sets the target in a record.
    @inlinable
    public func set(_ value: TypedID<Target>?, in record: inout Record) {
        record.setFieldValue(
            value.map { .reference(Reference(recordID: $0.recordID, action: deleteRule)) }, forKey: fieldName.text)
    }

    /// Returns the same link of the records that another link points to.
    public func following(_ link: Record.FieldKey) -> Link<Target> {
        Link("\(link).\(key)", onDelete: deleteRule)
    }
}

extension Link where Target: RecordFields {
    /// The fields of the target, for filters, orders and aggregates.
    public var to: LinkedFields<Target> { LinkedFields(path: key) }
}

extension Link: DefinedField {
    var definition: FieldDefinition {
        FieldDefinition(key: key, type: .reference, action: deleteRule, contentType: Value.self)
    }
}

/// A link, or a list of links, whose targets a query fetches too.
///
/// ```swift
/// let page = try await items.all(
///     by: \.name, including: \.list, \.tags, \.list.to.owner)
/// ```
public protocol LinkSelection: Sendable {
    /// The name of the field in the database, or a key path through single links.
    var key: Record.FieldKey { get }
}

extension Link: LinkSelection {}
extension Links: LinkSelection {}

/// A type that links can point to: a declaration, or ``OneOf``.
public protocol LinkTarget: Sendable {}

/// The fields of the records that a link points to, for filters, orders and aggregates.
///
/// ```swift
/// let inRome = try await items.count { $0.list.to.name == "Groceries" }
/// ```
@dynamicMemberLookup
public struct LinkedFields<Target: RecordFields>: Sendable {
    let path: Record.FieldKey

    /// A field of the target.
    public subscript<Declaration: FieldDeclaration>(
        dynamicMember member: KeyPath<Target, Declaration>
    ) -> Declaration {
        RecordLayout<Target>.shared().fields[keyPath: member].following(path)
    }
}
