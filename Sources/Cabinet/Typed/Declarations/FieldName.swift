/// The name of a declared field, prepared for reading the field of many records.
@usableFromInline
struct FieldName: Sendable {
    @usableFromInline let text: Record.FieldKey
    /// `nil` if the name is too long.
    @usableFromInline let shortName: ShortName?

    init(_ text: Record.FieldKey) {
        self.text = text
        shortName = ShortName(text)
    }
}

extension Record {
    /// The value of a declared field.
    // In the caller, a short name is passed without its text, and so without counting references to the text.
    @inlinable
    func fieldValue(named name: FieldName) -> FieldValue? {
        if let shortName = name.shortName { fieldValue(named: shortName) } else { fieldValue(forKey: name.text) }
    }
}
