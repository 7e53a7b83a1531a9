extension FieldTypes {
    /// Returns the type of the values of a key by which records are sorted, grouped or aggregated.
    ///
    /// - Parameters:
    ///   - key: A field, a system field, or a key path.
    ///   - refusal: The beginning of the error's message, which the key follows: `Records cannot be sorted by`.
    /// - Returns: The type, or `nil` if the values are nil in all records.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the key is a path that leads through a list, to an encrypted field, or to
    ///   fields without a single known type.
    func type(ofKey key: Record.FieldKey, refusal: String) throws -> FieldType? {
        func error(_ message: String) -> CabinetError {
            CabinetError(.invalidArguments, "\(refusal) '\(key)'\(message).", fieldKey: key)
        }
        func readable<Result>(_ body: () throws(PathType.Failure) -> Result) throws -> Result {
            do {
                return try body()
            } catch let failure {
                throw error(": \(failure.message)")
            }
        }
        guard FieldPath.isLong(key) else {
            return try readable { () throws(PathType.Failure) in try self[key]?.readable(key) }
        }
        let path = try FieldPath(key)
        let type = try readable { () throws(PathType.Failure) in try self.type(of: path) }
        let expectation = "expected a path through single references, to fields of one type in all record types"
        let hasCollection = path.steps.contains { if case .collection = $0 { true } else { false } }
        guard let shapes = type.shapes, !hasCollection else { throw error(": \(expectation)") }
        if shapes.isEmpty { return nil }
        guard let known = type.known else {
            let types = shapes.map(\.description).sorted().joined(separator: ", ")
            throw error(", which may be of the types \(types): \(expectation)")
        }
        return known
    }
}
