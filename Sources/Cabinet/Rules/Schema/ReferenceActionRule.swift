/// The rule that references have the delete rules that the schema of a strict container declares.
///
/// References that a record was fetched with may have other actions: they may be older than the declaration.
struct ReferenceActionRule: Sendable {
    private let actions: [Record.RecordType: [Record.FieldKey: Reference.Action]]

    init(_ schema: Schema) {
        actions = schema.recordTypes.mapValues { $0.fields.compactMapValues(\.deleteRule) }.filter { !$0.value.isEmpty }
    }

    /// Checks the new references of a record.
    func check(_ record: Record) throws(CabinetError) {
        guard let actions = actions[record.recordType] else { return }
        for (key, action) in actions.sorted(by: { $0.key < $1.key }) {
            let references = record.fields[key].references
            if references.allSatisfy({ $0.action == action }) { continue }
            let fetched = Set(record.fetched?.fields[key].references ?? [])
            guard let other = references.first(where: { $0.action != action && !fetched.contains($0) }) else {
                continue
            }
            throw CabinetError(
                .invalidArguments,
                "The field '\(key)' of \(record.recordType) is declared with the delete rule \(action); the reference to "
                    + "\(other.recordID) has the action \(other.action). Create it with the action \(action), or change the "
                    + "declaration.", fieldKey: key)
        }
    }

    /// Checks a field of a schema to apply.
    func check(
        _ field: Schema.Field, _ key: Record.FieldKey, of recordType: Record.RecordType
    ) throws(CabinetError) {
        guard let rule = field.deleteRule, let action = actions[recordType]?[key], rule != action else { return }
        throw CabinetError(
            .invalidArguments,
            "The field '\(key)' of \(recordType) has the delete rule \(action) in the container's schema, and \(rule) in the one "
                + "to apply.", fieldKey: key)
    }
}
