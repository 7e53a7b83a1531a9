extension Filter {
    /// Checks that a filter makes sense for the fields of a record type.
    ///
    /// Whatever can be known to fail before a record is seen is found here, so that a query fails alike on every
    /// backend, also where there are no records: operands of a type that their operator does not take, values that no
    /// field can hold, and trees that are too deep. Comparing a text with a number is no failure: it is false.
    ///
    /// - Parameter fields: What is known of the records' fields; a field that is not among them is `nil` in every record.
    /// - Throws: ``CabinetError/Code/invalidArguments``, naming the comparison, what is wrong with it, and what was
    ///   expected.
    public func validate(fields: FieldTypes) throws {
        try validateDepth()
        try forEachComparison { comparison in
            for operand in [comparison.left, comparison.right] { try operand.validate(in: comparison) }
            if let complaint = comparison.complaint(fields: fields) { throw comparison.error(complaint) }
        }
    }

    /// The fields, and system fields, that the filter reads.
    public var fieldKeys: Set<Record.FieldKey> {
        var keys: Set<Record.FieldKey> = []
        forEachComparison { comparison in
            comparison.left.collectKeys(into: &keys)
            comparison.right.collectKeys(into: &keys)
        }
        return keys
    }

    private func forEachComparison<Failure: Error>(_ body: (Comparison) throws(Failure) -> Void) throws(Failure) {
        switch self {
        case .constant: break
        case .comparison(let comparison): try body(comparison)
        case .and(let children), .or(let children):
            for child in children { try child.forEachComparison(body) }
        case .not(let child): try child.forEachComparison(body)
        }
    }
}

extension Filter.Expression {
    /// Refuses what no record type could make meaningful.
    fileprivate func validate(in comparison: Filter.Comparison) throws(CabinetError) {
        switch self {
        case .field(let key):
            if key.utf8.contains(UInt8(ascii: ".")) {
                throw comparison.error("Key paths such as '\(key)' are not supported by this version.")
            }
        case .constant: break
        case .list(let elements):
            for element in elements { try element.validate(in: comparison) }
        case .member, .element, .arithmetic, .negative, .distance, .searchableText, .variable:
            throw comparison.error("'\(abbreviated)' is not supported by this version.")
        case .unstorable(let text):
            throw comparison.error(
                "No field can hold \(text), so none can be compared with it; "
                    + "expected text, a number that fits 64 bits, a date, data, a reference, a location, or a flat list of one of them."
            )
        }
    }

    fileprivate func collectKeys(into keys: inout Set<Record.FieldKey>) {
        switch self {
        case .field(let key): keys.insert(key)
        case .list(let elements): for element in elements { element.collectKeys(into: &keys) }
        case .member(let operand, _), .negative(let operand): operand.collectKeys(into: &keys)
        case .element(let list, let index):
            list.collectKeys(into: &keys)
            if case .at(let position) = index { position.collectKeys(into: &keys) }
        case .arithmetic(let left, _, let right), .distance(let left, let right):
            left.collectKeys(into: &keys)
            right.collectKeys(into: &keys)
        case .constant, .unstorable, .searchableText, .variable: break
        }
    }
}

extension Filter.Comparison {
    /// What is wrong with the comparison for the fields of a record type; `nil` if nothing is.
    fileprivate func complaint(fields: FieldTypes) -> String? {
        let right = OperandType(self.right, fields: fields)
        guard let compared = OperandType.compared(in: self, fields: fields) else {
            let left = OperandType(self.left, fields: fields)
            return "\(quantifier.word ?? "") takes a list on its left side; \(left.finding)."
        }
        for left in compared {
            if let complaint = rule.complaint(left, right) { return complaint }
        }
        guard case .constant(let value) = self.right else { return nil }
        return rule.complaint(about: FilterValue(value).folded(rule.folding(options)))
    }

    /// The error that something is wrong with this comparison.
    fileprivate func error(_ complaint: String) -> CabinetError {
        let fields = [left, right].compactMap { operand in
            if case .field(let key) = operand { key } else { nil }
        }
        let text = "\(prefix)\(left.abbreviated) \(symbol) \(right.abbreviated)"
        return CabinetError(.invalidArguments, "\(complaint) The comparison is: \(text)", fieldKey: fields.first)
    }
}
