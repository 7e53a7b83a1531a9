extension Table {
    /// Returns the number of records that satisfy a condition.
    ///
    /// ```swift
    /// let inRome = try await items.count { $0.list.to.name == "Groceries" }
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor of the caller, on which the closure is called.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Throws: The errors of ``Database/count(matching:inZoneWith:)``.
    public func count(
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> Int {
        try await database.count(matching: query(where: filter))
    }

    /// Returns a Boolean value that indicates whether any record satisfies a condition.
    ///
    /// - Parameters:
    ///   - isolation: The actor of the caller, on which the closure is called.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Throws: The errors of ``Database/exists(matching:inZoneWith:)``.
    public func exists(
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> Bool {
        try await database.exists(matching: query(where: filter))
    }

    /// Returns the sum of a field, or zero if no record has a value.
    ///
    /// - Parameters:
    ///   - field: A field of numbers, or one of a linked record: `\.list.to.budget`.
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Throws: The errors of ``Database/sum(of:matching:inZoneWith:as:)``.
    public func sum<Declaration: FieldDeclaration>(
        of field: (Fields) -> Declaration, isolation: isolated (any Actor)? = #isolation,
        where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> Declaration.Compared where Declaration.Compared: Numeric {
        try await database.sum(
            of: field(layout.fields).key, matching: query(where: filter), as: Declaration.Compared.self)
    }

    /// Returns the mean of a field, or `nil` if no record has a value.
    ///
    /// - Parameters:
    ///   - field: A field of numbers.
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Throws: The errors of ``Database/average(of:matching:inZoneWith:)``.
    public func average<Declaration: FieldDeclaration>(
        of field: (Fields) -> Declaration, isolation: isolated (any Actor)? = #isolation,
        where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> Double? where Declaration.Compared: Numeric {
        try await database.average(of: field(layout.fields).key, matching: query(where: filter))
    }

    /// Returns the least value of a field, or `nil` if no record has a value.
    ///
    /// - Parameters:
    ///   - field: A field or system value with an order.
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Throws: The errors of ``Database/minimum(of:matching:inZoneWith:)``, and ``CabinetError/Code/invalidArguments`` if the
    ///   field's type cannot hold the value.
    public func minimum<Declaration: FieldDeclaration>(
        of field: (Fields) -> Declaration, isolation: isolated (any Actor)? = #isolation,
        where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> Declaration.Compared? where Declaration.Value.FieldShape == ContentShape.Scalar {
        let key = field(layout.fields).key
        return try content(try await database.minimum(of: key, matching: query(where: filter)), of: key)
    }

    /// Returns the greatest value of a field, or `nil` if no record has a value.
    ///
    /// - Parameters:
    ///   - field: A field or system value with an order.
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    /// - Throws: The errors of ``minimum(of:isolation:where:)``.
    public func maximum<Declaration: FieldDeclaration>(
        of field: (Fields) -> Declaration, isolation: isolated (any Actor)? = #isolation,
        where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> Declaration.Compared? where Declaration.Value.FieldShape == ContentShape.Scalar {
        let key = field(layout.fields).key
        return try content(try await database.maximum(of: key, matching: query(where: filter)), of: key)
    }

    /// Converts a value of an aggregate to the type of a field.
    func content<Content: RecordValue>(
        _ value: (any RecordValue)?, of key: Record.FieldKey
    ) throws(CabinetError) -> Content? {
        guard let value else { return nil }
        if let content = Content.content(of: value.fieldValue) { return content }
        throw CabinetError(
            .invalidArguments,
            "The field '\(key)' of \(Fields.recordType) has the value \(value.fieldValue?.description(upTo: 60) ?? "\(value)"), "
                + "which the type \(Content.self) cannot hold. Add the value to the type, or use the untyped call.",
            fieldKey: key)
    }
}
