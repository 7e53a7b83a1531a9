/// The rule that a deployment loses no data.
///
/// CloudKit refuses an import that removes a record type or field from production. Cabinet never removes any, so the
/// schema to deploy must have them all.
enum DeploymentRule {
    /// Throws if a schema lacks a record type or field of a database, or gives a field another type.
    static func validate(_ schema: Schema, replacing stored: StoredSchema) throws(CabinetError) {
        let losses = Schema(stored).difference(to: schema).losses
        if losses.isEmpty { return }
        let rest = losses.count > shownLosses ? "; and \(losses.count - shownLosses) more" : ""
        let fieldKeys = Set(losses.map(\.fieldKey))
        throw CabinetError(
            .invalidArguments,
            "The deployment would lose data: \(losses.prefix(shownLosses).map(\.description).joined(separator: "; "))\(rest). "
                + "A database keeps its record types and fields: declare those that the schema lacks, and give a field with "
                + "another type another name.",
            fieldKey: fieldKeys.count == 1 ? losses[0].fieldKey : nil)
    }

    private static let shownLosses = 10
}
