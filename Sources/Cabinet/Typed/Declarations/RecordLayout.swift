import Synchronization

/// A declaration with what was derived from it, once for each record type of the program.
@usableFromInline
final class RecordLayout<Fields: RecordFields>: Sendable {
    @usableFromInline let fields: Fields
    let definitions: [FieldDefinition]
    /// A record with the values that a new record gets.
    let prototype: Record
    @usableFromInline let requirement: RequiredFields

    private init() {
        fields = Fields()
        definitions = Mirror(reflecting: fields).children.compactMap { ($0.value as? any DefinedField)?.definition }
        var prototype = Record(recordType: Fields.recordType)
        for field in definitions where field.initialValue != nil { prototype[field.key] = field.initialValue }
        self.prototype = prototype
        requirement = RequiredFields(
            recordType: Fields.recordType, keys: definitions.filter(\.isRequired).map(\.key))
    }

    /// The only layout of a declaration, which is never deallocated.
    static func shared() -> RecordLayout {
        let key = ObjectIdentifier(Fields.self)
        if let known = layouts.withLock({ $0[key] }) as? RecordLayout { return known }
        // Outside of the lock: a declaration is code of the program.
        let new = RecordLayout()
        return layouts.withLock { layouts in
            if let known = layouts[key] as? RecordLayout { return known }
            layouts[key] = new
            return new
        }
    }

    /// Returns the definition of a field.
    func definition(of key: Record.FieldKey) -> FieldDefinition? {
        definitions.first { $0.key.hasSameScalars(as: key) }
    }
}

/// The layouts of the record types that the program declares.
private let layouts = Mutex<[ObjectIdentifier: any Sendable & AnyObject]>([:])
