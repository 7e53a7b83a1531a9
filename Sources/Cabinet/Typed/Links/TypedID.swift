/// The ID of a record, with the type of the record.
///
/// A link or a filter takes IDs of its own record type alone, so that two types cannot be mixed up:
///
/// ```swift
/// item.list = groceries.id                 // Typed<Lists>.ID
/// ```
public struct TypedID<Target: LinkTarget>: Sendable, Hashable {
    /// The untyped ID.
    public let recordID: RecordID

    /// Creates a typed ID from an untyped one, whose type is not checked.
    ///
    /// - Parameter recordID: The ID of a record of the target's type.
    @inlinable
    public init(_ recordID: RecordID = RecordID()) {
        self.recordID = recordID
    }

    /// Creates an ID from the name of a record.
    ///
    /// - Parameters:
    ///   - recordName: The record's name.
    ///   - zoneID: The record's zone.
    public init(recordName: String, zoneID: RecordZone.ID = .default) {
        recordID = RecordID(recordName: recordName, zoneID: zoneID)
    }
}

extension TypedID: RecordValue {
    /// REFERENCE.
    public static var fieldType: FieldType { .reference }

    /// A reference to the record, with the action ``Reference/Action/none``.
    public var fieldValue: FieldValue? { recordID.fieldValue }

    /// Reads the ID of a reference with any action; other values give `nil`.
    public init?(fieldValue: FieldValue) {
        guard case .reference(let reference) = fieldValue else { return nil }
        recordID = reference.recordID
    }
}

extension TypedID: Codable {
    /// Decodes an ID, as ``RecordID`` is coded.
    public init(from decoder: any Decoder) throws {
        recordID = try RecordID(from: decoder)
    }

    /// Encodes the ID, as ``RecordID`` is coded.
    public func encode(to encoder: any Encoder) throws {
        try recordID.encode(to: encoder)
    }
}

extension TypedID: CustomStringConvertible {
    /// The untyped ID.
    public var description: String { recordID.description }
}

/// An ID of a record whose type is declared: ``TypedID``.
public protocol TypedIdentifier: RecordValue {
    /// The declaration of the record's type.
    associatedtype Target: RecordFields

    /// The untyped ID.
    var recordID: RecordID { get }
}

extension TypedID: TypedIdentifier where Target: RecordFields {}
