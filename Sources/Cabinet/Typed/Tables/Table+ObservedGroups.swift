extension Table {
    /// Observes the number of records for each value of a field.
    ///
    /// ```swift
    /// for try await counts in deals.observeCounts(by: \.stage) {
    ///     show(counts[.won] ?? 0)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - group: A field or system value with an order, or one of a linked record.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Returns: A sequence like that of ``observeCount(where:)``, which throws the errors of ``counts(by:isolation:where:)``.
    public func observeCounts<Group: FieldDeclaration>(
        by group: (Fields) -> Group, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) -> AggregateObservation<[Group.Compared?: Int]>
    where Group.Compared: Hashable, Group.Value.FieldShape == ContentShape.Scalar {
        let key = group(layout.fields).key
        return database.observeCounts(by: key, matching: query(where: filter)).converting { [self] counts in
            try dictionary(counts.map { ($0.value, $0.count) }, by: key)
        }
    }

    /// Observes the sum of a field for each value of another.
    ///
    /// - Parameters:
    ///   - field: A field of numbers.
    ///   - group: A field or system value with an order, or one of a linked record.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Returns: A sequence like that of ``observeCount(where:)``, which throws the errors of
    ///   ``sums(of:by:isolation:where:)``.
    public func observeSums<Declaration: FieldDeclaration, Group: FieldDeclaration>(
        of field: (Fields) -> Declaration, by group: (Fields) -> Group,
        where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) -> AggregateObservation<[Group.Compared?: Declaration.Compared]>
    where Declaration.Compared: Numeric, Group.Compared: Hashable, Group.Value.FieldShape == ContentShape.Scalar {
        let (value, key) = (field(layout.fields).key, group(layout.fields).key)
        let sums = database.observeSums(
            of: value, by: key, matching: query(where: filter), as: Declaration.Compared.self)
        return sums.converting { [self] sums in try dictionary(sums.map { ($0.value, $0.sum) }, by: key) }
    }

    /// Observes the mean of a field for each value of another.
    ///
    /// - Parameters:
    ///   - field: A field of numbers.
    ///   - group: A field or system value with an order, or one of a linked record.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Returns: A sequence like that of ``observeCount(where:)``; groups without numbers are left out. It throws the errors of
    ///   ``averages(of:by:isolation:where:)``.
    public func observeAverages<Declaration: FieldDeclaration, Group: FieldDeclaration>(
        of field: (Fields) -> Declaration, by group: (Fields) -> Group,
        where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) -> AggregateObservation<[Group.Compared?: Double]>
    where Declaration.Compared: Numeric, Group.Compared: Hashable, Group.Value.FieldShape == ContentShape.Scalar {
        let (value, key) = (field(layout.fields).key, group(layout.fields).key)
        let averages = database.observeAverages(of: value, by: key, matching: query(where: filter))
        return averages.converting { [self] averages in
            try dictionary(averages.compactMap { group in group.average.map { (group.value, $0) } }, by: key)
        }
    }

    /// Observes the least value of a field for each value of another.
    ///
    /// - Parameters:
    ///   - field: A field or system value with an order.
    ///   - group: A field or system value with an order, or one of a linked record.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Returns: A sequence like that of ``observeCount(where:)``; groups without values are left out. It throws the errors of
    ///   ``minima(of:by:isolation:where:)``.
    public func observeMinima<Declaration: FieldDeclaration, Group: FieldDeclaration>(
        of field: (Fields) -> Declaration, by group: (Fields) -> Group,
        where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) -> AggregateObservation<[Group.Compared?: Declaration.Compared]>
    where
        Declaration.Value.FieldShape == ContentShape.Scalar, Group.Compared: Hashable,
        Group.Value.FieldShape == ContentShape.Scalar
    {
        let (value, key) = (field(layout.fields).key, group(layout.fields).key)
        let minima = database.observeMinima(of: value, by: key, matching: query(where: filter))
        return minima.converting { [self] minima in
            try dictionary(try contents(minima.map { ($0.value, $0.minimum) }, of: value), by: key)
        }
    }

    /// Observes the greatest value of a field for each value of another.
    ///
    /// - Parameters:
    ///   - field: A field or system value with an order.
    ///   - group: A field or system value with an order, or one of a linked record.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Returns: A sequence like that of ``observeCount(where:)``; groups without values are left out. It throws the errors of
    ///   ``maxima(of:by:isolation:where:)``.
    public func observeMaxima<Declaration: FieldDeclaration, Group: FieldDeclaration>(
        of field: (Fields) -> Declaration, by group: (Fields) -> Group,
        where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) -> AggregateObservation<[Group.Compared?: Declaration.Compared]>
    where
        Declaration.Value.FieldShape == ContentShape.Scalar, Group.Compared: Hashable,
        Group.Value.FieldShape == ContentShape.Scalar
    {
        let (value, key) = (field(layout.fields).key, group(layout.fields).key)
        let maxima = database.observeMaxima(of: value, by: key, matching: query(where: filter))
        return maxima.converting { [self] maxima in
            try dictionary(try contents(maxima.map { ($0.value, $0.maximum) }, of: value), by: key)
        }
    }
}
