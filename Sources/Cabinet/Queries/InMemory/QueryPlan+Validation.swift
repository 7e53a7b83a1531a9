extension QueryPlan {
    /// Checks that a plan makes sense, whatever records there are.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter does not fit the fields' types, if the records
    ///   cannot be sorted as asked, if the position is not one of this order, or if the limit is not positive.
    public func validate() throws {
        if isValid { return }
        if !hasValidFilter { try filter.validate(fields: fields) }
        for sort in order { try sort.validate(fields: fields) }
        try validatePosition()
        if limit < 1 {
            throw CabinetError(.invalidArguments, "The limit of the page is \(limit); expected at least 1.")
        }
    }

    /// A position may come from a cursor that was kept for long, or made up: its values must be of the sort keys'
    /// types.
    private func validatePosition() throws {
        guard let position else { return }
        var fits = position.values.count == order.count
        for (value, sort) in zip(position.values, order) {
            guard let value, let type = sort.valueType(in: fields) else { continue }
            // Not-a-number has no place in an order, and no record holds it.
            fits = fits && value.fieldType == type && !value.isNotANumber
        }
        if !fits {
            throw CabinetError(
                .invalidArguments,
                "The cursor does not fit the query's sort keys or their types. Run the query anew, from its first page."
            )
        }
    }
}
