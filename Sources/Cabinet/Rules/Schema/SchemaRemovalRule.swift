/// The rule by which a record type or a field is dropped, or a field gets another type.
///
/// In a growing container, which is development, a drop removes values. A strict container, which is production, drops only what has
/// none.
enum SchemaRemovalRule {
    /// Throws if no database can drop a record type or field.
    static func validate(_ part: SchemaPart, declared: StrictSchemaRule?) throws(CabinetError) {
        try NameRule.recordType.validate(part.recordType)
        if let key = part.fieldKey {
            if let violation = NameRule.fieldKey.violation(in: key, fieldKey: key) { throw violation }
        } else if part.recordType == UserRecordRule.recordType {
            throw CabinetError(.invalidArguments, "Every container has the record type Users, which cannot be dropped.")
        }
        guard declared?.declares(part) == true else { return }
        throw CabinetError(
            .invalidArguments,
            "The container's schema declares \(part.subject). Remove it from the schema before the drop.",
            fieldKey: part.fieldKey)
    }

    /// Throws if a drop would lose more than is allowed.
    ///
    /// - Parameters:
    ///   - part: The record type or field.
    ///   - count: The number of its records, or of the records with a value in it.
    ///   - limit: The greatest number to lose.
    ///   - isStrict: Whether the container is strict.
    static func check(
        losing count: Int, of part: SchemaPart, atMost limit: Int, isStrict: Bool
    ) throws(CabinetError) {
        let records = count.counted("record")
        let losses = part.fieldKey == nil ? records : "the values of \(records)"
        if isStrict, count > 0 {
            throw CabinetError(
                .invalidArguments,
                "A drop of \(part.subject) would lose \(losses). A strict container drops only what is empty: move the values "
                    + "first, or drop it with a container that is not strict.", fieldKey: part.fieldKey)
        }
        if count > limit {
            throw CabinetError(
                .invalidArguments,
                "A drop of \(part.subject) would lose \(losses), and at most \(limit) were expected. Another client has saved "
                    + "some: count them again.", fieldKey: part.fieldKey)
        }
    }

    /// Returns the type that a field has before a change to another one; `nil` if it has that already, or does not exist.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` unless every value of the old type is one of the new type.
    static func oldType(
        of part: SchemaPart, becoming type: FieldType, in schema: StoredSchema
    ) throws(CabinetError) -> FieldType? {
        guard let key = part.fieldKey, let old = schema.recordTypes[part.recordType]?[key], old != type else {
            return nil
        }
        if old.isList == type.isList, old.scalar == .int64, type.scalar == .double { return old }
        throw CabinetError(
            .invalidArguments,
            "\(part.description) is of type \(old) and cannot become \(type). Only an INT64 can become a DOUBLE, and a list of "
                + "them a list. Give the new field another name.",
            fieldKey: key)
    }

    /// Returns a whole number, or a list of some, as doubles.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a double does not equal a number.
    static func double(_ value: FieldValue, of part: SchemaPart, in record: RecordID) throws(CabinetError) -> FieldValue
    {
        if let double = value.converted(to: value.fieldType.isList ? .list(of: .double) : .double) { return double }
        throw CabinetError(
            .invalidArguments,
            "The value \(value.description(upTo: 60)) in \(part.subject) is not exactly a DOUBLE. Change it before the field's type.",
            recordID: record, fieldKey: part.fieldKey)
    }
}
