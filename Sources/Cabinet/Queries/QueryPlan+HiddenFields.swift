// A path into JSON that an index covers has its values in a hidden field. A plan reads that field, so a backend finds and sorts
// records by an index of an ordinary field.

extension QueryPlan {
    /// Returns the plan with the hidden fields of indexed paths in place of the paths.
    ///
    /// It finds the same records in the same order, and has the same positions.
    package func readingHiddenFields() -> QueryPlan {
        guard !fields.indexes.isEmpty, filter.hasLongKeys || order.contains(where: { FieldPath.isLong($0.key) }) else {
            return self
        }
        var plan = self
        plan.filter = filter.replacingKeys(of: recordType, fields.readableKey)
        plan.order = order.map { $0.reading(readableKey($0.key)) }
        // A position has the values of the sort keys.
        plan.keys = keys.map { $0.adding(plan.order.map(\.key).filter(FieldNames.isHidden)) }
        return plan
    }

    /// Returns the hidden field that has the values of a key, or the key itself.
    func readableKey(_ key: Record.FieldKey) -> Record.FieldKey { fields.readableKey(key, of: recordType) }
}

extension FieldTypes {
    /// Returns the hidden field that has the values of a key of a record type, or the key itself.
    fileprivate func readableKey(_ key: Record.FieldKey, of recordType: Record.RecordType) -> Record.FieldKey {
        guard FieldPath.isLong(key), let indexes = indexes[recordType],
            let hiddenKey = IndexedPath(key)?.hiddenKey
        else { return key }
        for case .compound(let keys) in indexes where keys.contains(hiddenKey) { return hiddenKey }
        return key
    }
}

extension Filter {
    /// Whether the filter names something else than fields.
    fileprivate var hasLongKeys: Bool {
        var hasLongKeys = false
        forEachOperand { operand in
            switch operand {
            case .field(let key): hasLongKeys = hasLongKeys || FieldPath.isLong(key)
            case .referring: hasLongKeys = true
            default: break
            }
        }
        return hasLongKeys
    }

    /// Returns the filter with other keys.
    ///
    /// - Parameter replacement: Returns the key for that of a record type.
    fileprivate func replacingKeys(
        of recordType: Record.RecordType, _ replacement: (Record.FieldKey, Record.RecordType) -> Record.FieldKey
    ) -> Filter {
        replacingExpressions { $0.replacingKeys(of: recordType, replacement) }
    }
}

extension Filter.Expression {
    fileprivate func replacingKeys(
        of recordType: Record.RecordType, _ replacement: (Record.FieldKey, Record.RecordType) -> Record.FieldKey
    ) -> Filter.Expression {
        switch self {
        case .field(let key): .field(replacement(key, recordType))
        case .referring(let type, let field, let filter):
            .referring(type, by: field, where: filter.replacingKeys(of: type, replacement))
        default: replacingOperands { $0.replacingKeys(of: recordType, replacement) }
        }
    }
}

extension Sort {
    /// Returns the sort key with the hidden field that has the key's values.
    fileprivate func reading(_ key: Record.FieldKey) -> Sort {
        key == self.key ? self : Sort(key, ascending: ascending, options: options)
    }
}

extension QueryExplanation {
    /// Returns the explanation with paths in place of the hidden fields that have their values.
    func namingPaths() -> QueryExplanation {
        func path(_ key: Record.FieldKey, of _: Record.RecordType = "") -> Record.FieldKey {
            key == StoredRecord.shareKey ? "share" : IndexedPath(hiddenKey: key)?.key ?? key
        }
        var explanation = self
        explanation.pushedDown = pushedDown?.replacingKeys(of: "", path)
        explanation.evaluated = evaluated?.replacingKeys(of: "", path)
        explanation.access = access.map { access in
            guard case .index(let name, let fields) = access else { return access }
            return .index(name: name, fields: fields.map { path($0) })
        }
        return explanation
    }
}
