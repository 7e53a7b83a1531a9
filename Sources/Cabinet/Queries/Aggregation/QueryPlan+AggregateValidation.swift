extension QueryPlan {
    /// Checks that an aggregate can be computed of the values of a key.
    ///
    /// - Parameters:
    ///   - aggregate: What to compute.
    ///   - key: The field, system field, or key path.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the values are of a type that the aggregate is not made of, or if
    ///   the key is a path that leads through a list, or to fields of which no single type is known.
    package func validate(_ aggregate: Aggregate, over key: Record.FieldKey) throws {
        guard let type = try fields.type(ofKey: key, refusal: "No \(aggregate.rawValue) can be made of") else { return }
        if aggregate.accepts(type) { return }
        throw CabinetError(
            .invalidArguments, "\(aggregate.expectation); '\(key)' is of type \(type).", fieldKey: key)
    }

    /// Checks that records can be counted by the values of a key.
    ///
    /// - Parameter key: The field, system field, or key path.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the values are lists, locations or assets, or if the key is a path
    ///   that leads through a list, or to fields of which no single type is known.
    package func validateGrouping(by key: Record.FieldKey) throws {
        guard let type = try fields.type(ofKey: key, refusal: "Records cannot be grouped by") else { return }
        if !type.isList, type.scalar != .location, type.scalar != .asset { return }
        throw CabinetError(
            .invalidArguments,
            "Records are grouped by text, numbers, dates, bytes or references; '\(key)' is of type \(type).",
            fieldKey: key)
    }
}
