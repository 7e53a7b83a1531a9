extension Schema {
    /// Throws if no database could have the schema, regardless of the database's content.
    ///
    /// Names must be well-formed, options must fit the types of their fields, and compound indexes must name fields that have an order.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments``, which names the record type and field.
    public func validate() throws(CabinetError) {
        try SchemaExtensionRule.validate(self)
        _ = try SchemaExtensionRule.changes(to: StoredSchema(), by: self)
    }
}
