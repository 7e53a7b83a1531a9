/// The errors of coding a program's own type as a record: each names the type and the field.
struct FieldCodingFailure {
    let type: Any.Type
    let recordType: Record.RecordType
    let definitions: [FieldDefinition]

    /// Returns the definition of a field.
    func definition(of key: String) throws(CabinetError) -> FieldDefinition {
        if let known = definitions.first(where: { $0.key.hasSameScalars(as: key) }) { return known }
        let nearest = definitions.map(\.key).nearest(to: key).map { " Is it '\($0)'?" } ?? ""
        throw CabinetError(
            .invalidArguments,
            "\(type) has the key '\(key)', and the declaration of \(recordType) has no such field.\(nearest)",
            fieldKey: key)
    }

    /// Returns the error of a value that does not fit a field.
    func mismatch(_ key: String, expected: String, found: String, _ cause: (any Error)? = nil) -> CabinetError {
        CabinetError(
            .invalidArguments, "\(type).\(key), field '\(key)' of \(recordType): expected \(expected), found \(found).",
            fieldKey: key, underlyingError: cause)
    }

    /// Returns the error of a type that is not coded with keys.
    func withoutKeys() -> CabinetError {
        CabinetError(
            .invalidArguments,
            "\(type) is not coded with keys; expected a type whose keys name fields of \(recordType).")
    }
}

extension FieldValue {
    /// The value and its type, for messages.
    var found: String { "\(description(upTo: 60)), a value of type \(fieldType)" }
}
