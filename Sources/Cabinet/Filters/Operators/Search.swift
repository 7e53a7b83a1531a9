/// `SEARCH`: the left text has all words of the right one, as ``SearchText`` reads them.
///
/// A search without a word matches everything, nil too.
enum Search: OperatorRule {
    static let spellings = ["SEARCH"]

    static func typeError(_ left: OperandType, _ right: OperandType) -> String? {
        [left, right].first { !$0.mayBeText }.map {
            "SEARCH finds words in text; \($0.finding)."
        }
    }

    static func holds(_ left: FilterValue, _ right: FilterValue) throws(CabinetError) -> Bool {
        if right.isNothing { return false }
        guard let text = right.text else { throw unfit }
        try WorkMeter.spend(text.utf8.count)
        return try holds(left, SearchText(text))
    }

    static func judge(_ right: FilterValue) -> FilterJudge {
        guard let text = right.text else { return { try holds($0, right) } }
        let search = SearchText(text)
        return { try holds($0, search) }
    }

    static func folding(_ options: Filter.Options) -> Filter.Options { [] }

    private static func holds(_ left: FilterValue, _ search: SearchText) throws(CabinetError) -> Bool {
        if search.isEmpty { return true }
        if left.isNothing { return false }
        guard let text = left.text else { throw unfit }
        var scan = SearchScan(search)
        try scan.read(text)
        return scan.isComplete
    }

    private static var unfit: CabinetError {
        CabinetError(.invalidArguments, "SEARCH finds words in text; the record has something else there.")
    }
}

/// The search in several fields, each of which may have some of the words.
extension Search {
    /// Returns a closure that searches the texts in some slots.
    static func test(of slots: [Int], _ right: CompiledOperand) -> CompiledFilter.Test {
        if let constant = right.constant {
            guard let text = constant.text else { return { _, _, _ in try holds(.nothing, constant) } }
            let search = SearchText(text)
            return { record, positions, _ in try finds(search, in: record, slots, at: positions) }
        }
        return { record, positions, resolver in
            let right = try right.value(in: record, at: positions, resolver)
            guard let text = right.text else { return try holds(.nothing, right) }
            try WorkMeter.spend(text.utf8.count)
            return try finds(SearchText(text), in: record, slots, at: positions)
        }
    }

    private static func finds(
        _ search: SearchText, in record: StoredRecord, _ slots: [Int], at positions: [Int]
    ) throws(CabinetError) -> Bool {
        if search.isEmpty { return true }
        var scan = SearchScan(search)
        for slot in slots {
            if case .string(let text)? = record.value(in: slot, at: positions) { try scan.read(text) }
        }
        return scan.isComplete
    }
}
