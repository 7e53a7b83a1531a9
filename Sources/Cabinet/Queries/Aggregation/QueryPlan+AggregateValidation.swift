extension QueryPlan {
    /// Checks that an aggregate of the values of a key can be computed.
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate to compute.
    ///   - key: The field, system field, or key path.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the aggregate does not accept values of the type, or if the
    ///   key is a path that leads through a list, or to fields without a single known type.
    package func validate(_ aggregate: Aggregate, over key: Record.FieldKey) throws {
        guard let type = try fields.type(ofKey: key, refusal: "No \(aggregate.rawValue) can be computed from") else {
            return
        }
        if aggregate.accepts(type) { return }
        throw CabinetError(
            .invalidArguments, "\(aggregate.expectation); '\(key)' is of type \(type).", fieldKey: key)
    }

    /// Checks that records can be counted by the values of a key.
    ///
    /// - Parameter key: The field, system field, or key path.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the values are lists, locations or assets, or if the key is
    ///   a path that leads through a list, or to fields without a single known type.
    package func validateGrouping(by key: Record.FieldKey) throws {
        guard let type = try fields.type(ofKey: key, refusal: "Records cannot be grouped by") else { return }
        if !type.isList, type.scalar != .location, type.scalar != .asset { return }
        throw CabinetError(
            .invalidArguments,
            "Records are grouped by text, numbers, dates, bytes or references; '\(key)' is of type \(type).",
            fieldKey: key)
    }
}
