import Synchronization

/// A declaration with what was derived from it, once for each record type of the program.
final class RecordLayout<Fields: RecordFields>: Sendable {
    let fields: Fields
    let definitions: [FieldDefinition]
    /// The values that a new record gets.
    let initialValues: [(key: Record.FieldKey, value: any RecordValue)]
    let requiredKeys: [Record.FieldKey]

    private init() {
        fields = Fields()
        definitions = Mirror(reflecting: fields).children.compactMap { ($0.value as? any DefinedField)?.definition }
        initialValues = definitions.compactMap { field in field.initialValue.map { (field.key, $0) } }
        requiredKeys = definitions.filter(\.isRequired).map(\.key)
    }

    /// The only layout of a declaration.
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
