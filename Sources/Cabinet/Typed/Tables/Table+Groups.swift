extension Table {
    /// Returns the number of records for each value of a field.
    ///
    /// ```swift
    /// let perKind = try await items.counts(by: \.kind)      // [Kind?: Int]
    /// // [Typed<Lists>.ID?: Int]
    /// let perList = try await items.counts(by: \.list)
    /// ```
    ///
    /// - Parameters:
    ///   - group: A field or system value with an order, or one of a linked record.
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Returns: The number of records for each value, and for `nil` if some have none.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the field's type cannot hold a value, such as a new case of an
    ///   enumeration, and the errors of ``Database/counts(by:matching:inZoneWith:)``.
    public func counts<Group: FieldDeclaration>(
        by group: (Fields) -> Group, isolation: isolated (any Actor)? = #isolation,
        where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> [Group.Compared?: Int]
    where Group.Compared: Hashable, Group.Value.FieldShape == ContentShape.Scalar {
        let key = group(layout.fields).key
        let counts = try await database.counts(by: key, matching: query(where: filter))
        return try dictionary(counts.map { ($0.value, $0.count) }, by: key)
    }

    /// Returns the sum of a field for each value of another.
    ///
    /// ```swift
    /// // [Stage?: Double]
    /// let pipeline = try await deals.sums(of: \.amount, by: \.stage)
    /// ```
    ///
    /// - Parameters:
    ///   - field: A field of numbers.
    ///   - group: A field or system value with an order, or one of a linked record.
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Returns: The sum for each value, and for `nil` if some records have none.
    /// - Throws: The errors of ``counts(by:isolation:where:)`` and ``sum(of:isolation:where:)``.
    public func sums<Declaration: FieldDeclaration, Group: FieldDeclaration>(
        of field: (Fields) -> Declaration, by group: (Fields) -> Group,
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> [Group.Compared?: Declaration.Compared]
    where Declaration.Compared: Numeric, Group.Compared: Hashable, Group.Value.FieldShape == ContentShape.Scalar {
        let key = group(layout.fields).key
        let sums = try await database.sums(
            of: field(layout.fields).key, by: key, matching: query(where: filter), as: Declaration.Compared.self)
        return try dictionary(sums.map { ($0.value, $0.sum) }, by: key)
    }

    /// Returns the mean of a field for each value of another.
    ///
    /// - Parameters:
    ///   - field: A field of numbers.
    ///   - group: A field or system value with an order, or one of a linked record.
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Returns: The mean for each value; groups without numbers are left out.
    /// - Throws: The errors of ``counts(by:isolation:where:)`` and ``average(of:isolation:where:)``.
    public func averages<Declaration: FieldDeclaration, Group: FieldDeclaration>(
        of field: (Fields) -> Declaration, by group: (Fields) -> Group,
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> [Group.Compared?: Double]
    where Declaration.Compared: Numeric, Group.Compared: Hashable, Group.Value.FieldShape == ContentShape.Scalar {
        let key = group(layout.fields).key
        let averages = try await database.averages(
            of: field(layout.fields).key, by: key, matching: query(where: filter))
        return try dictionary(averages.compactMap { group in group.average.map { (group.value, $0) } }, by: key)
    }

    /// Returns the least value of a field for each value of another.
    ///
    /// - Parameters:
    ///   - field: A field or system value with an order.
    ///   - group: A field or system value with an order, or one of a linked record.
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Returns: The least value for each group; groups without values are left out.
    /// - Throws: The errors of ``counts(by:isolation:where:)`` and ``minimum(of:isolation:where:)``.
    public func minima<Declaration: FieldDeclaration, Group: FieldDeclaration>(
        of field: (Fields) -> Declaration, by group: (Fields) -> Group,
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> [Group.Compared?: Declaration.Compared]
    where
        Declaration.Value.FieldShape == ContentShape.Scalar, Group.Compared: Hashable,
        Group.Value.FieldShape == ContentShape.Scalar
    {
        let (value, key) = (field(layout.fields).key, group(layout.fields).key)
        let minima = try await database.minima(of: value, by: key, matching: query(where: filter))
        return try dictionary(try contents(minima.map { ($0.value, $0.minimum) }, of: value), by: key)
    }

    /// Returns the greatest value of a field for each value of another.
    ///
    /// - Parameters:
    ///   - field: A field or system value with an order.
    ///   - group: A field or system value with an order, or one of a linked record.
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Returns: The greatest value for each group; groups without values are left out.
    /// - Throws: The errors of ``counts(by:isolation:where:)`` and ``maximum(of:isolation:where:)``.
    public func maxima<Declaration: FieldDeclaration, Group: FieldDeclaration>(
        of field: (Fields) -> Declaration, by group: (Fields) -> Group,
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> [Group.Compared?: Declaration.Compared]
    where
        Declaration.Value.FieldShape == ContentShape.Scalar, Group.Compared: Hashable,
        Group.Value.FieldShape == ContentShape.Scalar
    {
        let (value, key) = (field(layout.fields).key, group(layout.fields).key)
        let maxima = try await database.maxima(of: value, by: key, matching: query(where: filter))
        return try dictionary(try contents(maxima.map { ($0.value, $0.maximum) }, of: value), by: key)
    }

    func contents<Content: RecordValue>(
        _ groups: [((any RecordValue)?, (any RecordValue)?)], of key: Record.FieldKey
    ) throws(CabinetError) -> [((any RecordValue)?, Content)] {
        var contents: [((any RecordValue)?, Content)] = []
        for (group, value) in groups {
            if let content: Content = try content(value, of: key) { contents.append((group, content)) }
        }
        return contents
    }

    func dictionary<Key: RecordValue & Hashable, Result>(
        _ groups: [((any RecordValue)?, Result)], by key: Record.FieldKey
    ) throws(CabinetError) -> [Key?: Result] {
        var results: [Key?: Result] = [:]
        for (value, result) in groups {
            let group: Key? = try content(value, of: key)
            if results.updateValue(result, forKey: group) != nil {
                throw CabinetError(
                    .invalidArguments,
                    "Two values of the field '\(key)' of \(Fields.recordType) are equal as \(Key.self). Use the untyped call.",
                    fieldKey: key)
            }
        }
        return results
    }
}
