import Cabinet

/// Conditions of `SEARCH` with a constant text.
extension FilterTranslator {
    /// Translates a search that needs no text: by an index of exactly its fields, or because it is the same for all rows.
    mutating func indexedSearch(_ comparison: Filter.Comparison) -> SQLTest? {
        if comparison.isEmptySearch { return .always }
        guard comparison.quantifier == .single, case .constant(let value) = comparison.right else { return nil }
        guard value != nil else { return .never }
        guard let search = comparison.searchText, !search.hasPhrases,
            let searched = comparison.searchedFields(in: terms.fields), !searched.isEmpty,
            terms.table.wordFields == searched
        else { return nil }
        return Dialect.isIndexed(search, &self)
    }

    /// Translates a search that reads the texts of an operand, or of all searchable fields.
    mutating func readingSearch(_ search: SearchText, in operands: [SQLOperand]) -> SQLTest? {
        if search.isEmpty { return .always }
        var texts: [SQLTerm] = []
        for operand in operands {
            switch operand {
            case .null: continue
            case .term(let term) where term.kind == .text: texts.append(term)
            default: return nil
            }
        }
        return texts.isEmpty ? .never : Dialect.isFound(search, in: texts, &self)
    }

    /// Returns a condition of an index that every row meets that a search finds; `nil` if there is none.
    mutating func searchCandidates(_ comparison: Filter.Comparison) -> SQLCondition? {
        let indexed = terms.table.wordFields
        guard let search = comparison.searchText, !search.isEmpty,
            let searched = comparison.searchedFields(in: terms.fields), !indexed.isEmpty,
            Set(indexed).isSuperset(of: searched)
        else { return nil }
        // An exact index is searched only once.
        if indexed == searched, !search.hasPhrases, Dialect.indexIsExact(self) { return nil }
        return Dialect.candidates(search, &self)
    }
}
