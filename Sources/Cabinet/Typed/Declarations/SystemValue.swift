public import Foundation

/// A value that the server sets in every record, such as its creation date.
///
/// Filters, orders and aggregates use it like a field: `$0.creationDate > yesterday`.
public struct SystemValue<Content: RecordValue>: FieldDeclaration {
    /// An optional, because a record has no system values before its first save.
    public typealias Value = Content?

    /// The type of the values that filters compare the system value with.
    public typealias Compared = Content

    private let field: SystemField
    private let path: Record.FieldKey?

    init(_ field: SystemField, path: Record.FieldKey? = nil) {
        self.field = field
        self.path = path
    }

    /// The name of the system value in filters, or a key path through links.
    public var key: Record.FieldKey { path.map { "\($0).\(field.rawValue)" } ?? field.rawValue }

    /// Returns the value in a record, or `nil` before its first save.
    public func value(in record: Record) -> Content? {
        record.systemValue(field).flatMap(Content.init(fieldValue:))
    }

    /// Returns the same system value of the records that a link points to.
    public func following(_ link: Record.FieldKey) -> SystemValue<Content> {
        SystemValue(field, path: path.map { "\(link).\($0)" } ?? link)
    }
}

extension RecordFields {
    /// The record's own ID, for filters: `$0.id != milk.id`.
    public var id: SystemValue<TypedID<Self>> { SystemValue(.recordID) }

    /// The date on which the record was first saved, by the server's clock.
    public var creationDate: SystemValue<Date> { SystemValue(.creationDate) }

    /// The date on which the record was last saved, by the server's clock.
    public var modificationDate: SystemValue<Date> { SystemValue(.modificationDate) }

    /// The user who first saved the record.
    public var creatorUserRecordID: SystemValue<RecordID> { SystemValue(.creatorUserRecordID) }

    /// The user who last saved the record.
    public var lastModifiedUserRecordID: SystemValue<RecordID> { SystemValue(.lastModifiedUserRecordID) }

    /// The record that this one belongs to, for sharing; set it through ``Typed/record``.
    public var parent: SystemValue<RecordID> { SystemValue(.parent) }
}

extension Record {
    /// The value of a system field as it is stored.
    func systemValue(_ field: SystemField) -> FieldValue? {
        switch field {
        case .recordID: recordID.fieldValue
        case .creationDate: creationDate.map(FieldValue.timestamp)
        case .modificationDate: modificationDate.map(FieldValue.timestamp)
        case .creatorUserRecordID: creatorUserRecordID?.fieldValue
        case .lastModifiedUserRecordID: lastModifiedUserRecordID?.fieldValue
        case .parent: parent?.fieldValue
        }
    }
}
