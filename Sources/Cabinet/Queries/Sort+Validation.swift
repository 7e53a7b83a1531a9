extension Sort {
    /// Checks that records can be sorted by the key.
    ///
    /// The check accepts ``relevance`` without a search in the query's filter; the query itself does not.
    ///
    /// - Parameter fields: The types of the records' fields. A field that is not among them is `nil` in every record.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the field's values have no order, as lists, assets, and
    ///   locations without an origin. The same code if a distance is requested from a field that is not a location, or
    ///   from an invalid origin. The same code if the key is not a path through single references to fields of one
    ///   type.
    public func validate(fields: FieldTypes) throws {
        if !Options.all.isSuperset(of: options) {
            throw error("The sort key '\(key)' has options that this version does not know.")
        }
        if let origin { return try validateDistance(from: origin, fields: fields) }
        if isByRelevance { return }
        if let (type, field, filter) = try counted() {
            if let message = fields.refusal(ofReferencesFrom: type, by: field) { throw error(message) }
            return try keyed { () throws(CabinetError) in try filter.validateReferring(in: fields.types(of: type)) }
        }
        guard let type = try fields.type(ofKey: key, refusal: "Records cannot be sorted by") else { return }
        if type.isList || type.scalar == .location || type.scalar == .asset {
            throw error(
                "Records cannot be sorted by '\(key)', because \(type) values have no order. "
                    + "Expected a field of text, numbers, dates, bytes or references."
            )
        }
    }

    /// Returns the type of the values that the records are ordered by, or `nil` if all values are nil.
    ///
    /// For text, this is the type of the text itself, with any options.
    func valueType(in fields: FieldTypes) -> FieldType? {
        if isByRelevance || FieldPath.isSubquery(key) { return .int64 }
        let type = fields.type(ofPath: key)
        return origin == nil ? type : type.map { _ in .double }
    }

    private func validateDistance(from origin: Location, fields: FieldTypes) throws {
        if FieldPath.isLong(key) {
            throw error("Records are sorted by the distance to a field of their own; '\(key)' is a key path.")
        }
        if let type = fields[key], type != .location {
            throw error("Records are sorted by the distance to a LOCATION; the field '\(key)' is of type \(type).")
        }
        guard (-90...90).contains(origin.latitude), (-180...180).contains(origin.longitude) else {
            throw error(
                "Distances cannot be measured from \(origin). "
                    + "Expected a latitude from -90 to 90, and a longitude from -180 to 180.")
        }
    }

    /// Adds the sort key to an error.
    func keyed<Result>(_ body: () throws(CabinetError) -> Result) throws(CabinetError) -> Result {
        do {
            return try body()
        } catch {
            var error = error
            error.fieldKey = key
            throw error
        }
    }

    private func error(_ message: String) -> CabinetError {
        CabinetError(.invalidArguments, message, fieldKey: key)
    }
}

extension Sort.Options {
    fileprivate static let all: Sort.Options = [.caseInsensitive, .diacriticInsensitive, .numeric]
}
