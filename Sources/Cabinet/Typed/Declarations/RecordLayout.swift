import Synchronization

/// A declaration with what was derived from it, once for each record type of the program.
@usableFromInline
final class RecordLayout<Fields: RecordFields>: Sendable {
    // Safe, because nothing changes the declaration, and the process keeps each layout until it ends. In memory of its own,
    // a read copies the field that it names; in a property, it would copy, and so retain, all fields of the declaration.
    @usableFromInline nonisolated(unsafe) let declaration: UnsafePointer<Fields>
    let definitions: [FieldDefinition]
    /// The names of the properties of the declaration, one for each definition.
    let properties: [String]
    /// A record with the values that a new record gets.
    let prototype: Record
    @usableFromInline let requirement: RequiredFields

    private init() {
        let fields = Fields()
        let memory = UnsafeMutablePointer<Fields>.allocate(capacity: 1)
        memory.initialize(to: fields)
        declaration = UnsafePointer(memory)
        let children = Mirror(reflecting: fields).children.filter { $0.value is any DefinedField }
        definitions = children.compactMap { ($0.value as? any DefinedField)?.definition }
        properties = children.map { $0.label ?? "" }
        var prototype = Record(recordType: Fields.recordType)
        for field in definitions where field.initialValue != nil {
            if field.isEncrypted {
                prototype.setEncryptedValue(field.initialValue, forKey: field.key)
            } else {
                prototype[field.key] = field.initialValue
            }
        }
        self.prototype = prototype
        requirement = RequiredFields(
            recordType: Fields.recordType, keys: definitions.filter(\.isRequired).map(\.key))
    }

    deinit {
        let memory = UnsafeMutablePointer(mutating: declaration)
        memory.deinitialize(count: 1)
        memory.deallocate()
    }

    /// The declared fields.
    @inlinable var fields: Fields { declaration.pointee }

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
}

/// The layouts of the record types that the program declares.
private let layouts = Mutex<[ObjectIdentifier: any Sendable & AnyObject]>([:])
