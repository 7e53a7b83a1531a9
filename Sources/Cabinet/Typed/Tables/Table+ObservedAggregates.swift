extension Table {
    /// Observes the number of records that satisfy a condition, and returns it now and after each change.
    ///
    /// ```swift
    /// for try await count in items.observeCount(where: { $0.isBought == false }) {
    ///     badge = count
    /// }
    /// ```
    ///
    /// ``Database/observeCount(matching:inZoneWith:)`` describes the sequence and its cost.
    ///
    /// - Parameter filter: The condition; by default all records satisfy it.
    public func observeCount(
        where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) -> AggregateObservation<Int> {
        database.observeCount(matching: query(where: filter))
    }

    /// Observes the sum of a field, which is zero if no record has a value.
    ///
    /// - Parameters:
    ///   - field: A field of numbers, or one of a linked record: `\.list.to.budget`.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Returns: A sequence like that of ``observeCount(where:)``.
    public func observeSum<Declaration: FieldDeclaration>(
        of field: (Fields) -> Declaration, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) -> AggregateObservation<Declaration.Compared> where Declaration.Compared: Numeric {
        database.observeSum(
            of: field(layout.fields).key, matching: query(where: filter), as: Declaration.Compared.self)
    }

    /// Observes the mean of a field, which is `nil` if no record has a value.
    ///
    /// - Parameters:
    ///   - field: A field of numbers.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Returns: A sequence like that of ``observeCount(where:)``.
    public func observeAverage<Declaration: FieldDeclaration>(
        of field: (Fields) -> Declaration, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) -> AggregateObservation<Double?> where Declaration.Compared: Numeric {
        database.observeAverage(of: field(layout.fields).key, matching: query(where: filter))
    }

    /// Observes the least value of a field, which is `nil` if no record has a value.
    ///
    /// - Parameters:
    ///   - field: A field or system value with an order.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Returns: A sequence like that of ``observeCount(where:)``.
    public func observeMinimum<Declaration: FieldDeclaration>(
        of field: (Fields) -> Declaration, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) -> AggregateObservation<Declaration.Compared?> where Declaration.Value.FieldShape == ContentShape.Scalar {
        let key = field(layout.fields).key
        return database.observeMinimum(of: key, matching: query(where: filter)).converting { [self] in
            try content($0, of: key)
        }
    }

    /// Observes the greatest value of a field, which is `nil` if no record has a value.
    ///
    /// - Parameters:
    ///   - field: A field or system value with an order.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Returns: A sequence like that of ``observeCount(where:)``.
    public func observeMaximum<Declaration: FieldDeclaration>(
        of field: (Fields) -> Declaration, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) -> AggregateObservation<Declaration.Compared?> where Declaration.Value.FieldShape == ContentShape.Scalar {
        let key = field(layout.fields).key
        return database.observeMaximum(of: key, matching: query(where: filter)).converting { [self] in
            try content($0, of: key)
        }
    }
}
