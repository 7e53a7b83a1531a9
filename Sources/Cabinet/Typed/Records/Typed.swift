/// A record whose fields have names and types: those that a declaration gives.
///
/// ```swift
/// typealias Item = Typed<Items>
///
/// var milk = try await items.record(for: id)
/// milk.number += 1
/// milk = try await items.save(milk)
/// ```
///
/// The value wraps a ``Record``, with its change tag and with the fields that this version of the program does not declare.
/// ``record`` and ``init(_:)`` cross over at any time. A declared property that has the name of a property of this
/// structure, such as `record`, can be read with `subscript(dynamicMember:)` alone.
@dynamicMemberLookup
public struct Typed<Fields: RecordFields>: Sendable, Identifiable {
    /// The ID of a record of this type.
    public typealias ID = TypedID<Fields>

    @usableFromInline var content: Record
    // Safe, because the process keeps each layout until it ends. Counting references would make every copy slower.
    @usableFromInline unowned(unsafe) let layout: RecordLayout<Fields>

    /// The record, with all its fields.
    @inlinable public var record: Record { content }

    /// Wraps a record.
    ///
    /// - Parameter record: A record of the declared type.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the record is of another type.
    public init(_ record: Record) throws(CabinetError) {
        try self.init(record, layout: .shared())
    }

    /// Wraps a record, whose type is checked.
    init(_ record: Record, layout: RecordLayout<Fields>) throws(CabinetError) {
        if !record.recordType.hasSameScalars(as: Fields.recordType) {
            throw CabinetError(
                .invalidArguments,
                "The record is of the type \(record.recordType); \(Fields.self) declares \(Fields.recordType).",
                recordID: record.recordID)
        }
        self.init(checked: record, layout: layout)
    }

    /// Wraps a record that is known to be of the type.
    @inlinable
    init(checked record: Record, layout: RecordLayout<Fields>) {
        content = record
        self.layout = layout
    }

    /// Creates a record that is not in a database yet, with the declared defaults.
    init(new id: ID, layout: RecordLayout<Fields>) {
        self.init(checked: Record(recordID: id.recordID, asNew: layout.prototype), layout: layout)
    }

    /// The record's typed ID.
    @inlinable public var id: ID { TypedID(record.recordID) }

    /// Makes the record with an ID the ``Record/parent`` of this one, or removes the parent if the argument is `nil`.
    public mutating func setParent(_ recordID: RecordID?) {
        content.setParent(recordID)
    }

    /// The value of a field.
    public subscript<Declaration: SettableField>(
        dynamicMember member: KeyPath<Fields, Declaration>
    ) -> Declaration.Value {
        // In the caller, the compiler replaces the key path by an access to the declared property. In a statement of its own,
        // the declaration is copied for no longer than that.
        @inlinable @inline(__always) get {
            let declaration = layout.declaration.pointee[keyPath: member]
            return declaration.value(in: content)
        }
        @inlinable @inline(__always) set {
            let declaration = layout.declaration.pointee[keyPath: member]
            declaration.set(newValue, in: &content)
        }
    }

    /// The value of an encrypted field, or its default if it cannot be decrypted.
    public subscript<Value>(dynamicMember member: KeyPath<Fields, EncryptedField<Value>>) -> Value {
        get { layout.fields[keyPath: member].value(in: content) }
        set { layout.fields[keyPath: member].set(newValue, in: &content) }
    }

    /// The value of a field or of a system value, such as `item.creationDate`.
    public subscript<Declaration: FieldDeclaration>(
        dynamicMember member: KeyPath<Fields, Declaration>
    ) -> Declaration.Value {
        @inlinable @inline(__always) get {
            let declaration = layout.declaration.pointee[keyPath: member]
            return declaration.value(in: content)
        }
    }
}

extension Typed where Fields.Required == NoRequiredFields {
    /// Creates a record that is not in a database yet, with the declared defaults.
    ///
    /// - Parameter id: The record's ID; by default a new one in the default zone.
    public init(id: ID = ID()) {
        self.init(new: id, layout: .shared())
    }
}

extension Typed: Hashable {
    /// Returns a Boolean value that indicates whether two records are equal, as ``Record`` compares them.
    public static func == (left: Self, right: Self) -> Bool { left.record == right.record }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(record)
    }
}

extension Typed: CustomStringConvertible {
    /// The description of the record.
    public var description: String { record.description }
}

extension Sequence where Element == Record {
    /// Returns the records of a declared type, as typed records.
    ///
    /// ```swift
    /// let items = page.modifications.map(\.record).typed(as: Items.self)
    /// ```
    ///
    /// - Parameter declaration: The declaration of the type. Records of other types are omitted.
    public func typed<Fields: RecordFields>(as declaration: Fields.Type) -> [Typed<Fields>] {
        let layout = RecordLayout<Fields>.shared()
        return compactMap { record in
            record.recordType.hasSameScalars(as: Fields.recordType) ? Typed(checked: record, layout: layout) : nil
        }
    }
}
