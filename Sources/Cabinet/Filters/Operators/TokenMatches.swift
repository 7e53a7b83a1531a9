/// `TOKENMATCHES`: the left text has at least one of the words of the right one.
///
/// The words are those of ``SearchTokens``. The search always ignores case and accents, with any options.
enum TokenMatches: OperatorRule {
    static let spellings = ["TOKENMATCHES"]

    static func typeError(_ left: OperandType, _ right: OperandType) -> String? {
        [left, right].first { !$0.mayBeText }.map {
            "TOKENMATCHES compares text with words; \($0.finding)."
        }
    }

    static func holds(_ left: FilterValue, _ right: FilterValue) throws(CabinetError) -> Bool {
        if left.isNothing || right.isNothing { return false }
        guard let text = left.text, let words = right.text else {
            throw CabinetError(
                .invalidArguments, "TOKENMATCHES compares text with words; the record has something else there.")
        }
        try WorkMeter.spend(text.utf8.count + words.utf8.count)
        return !Set(SearchTokens.tokens(in: text)).isDisjoint(with: SearchTokens.tokens(in: words))
    }

    static func judge(_ right: FilterValue) -> FilterJudge {
        guard let words = right.text else { return { try holds($0, right) } }
        let tokens = Set(SearchTokens.tokens(in: words))
        return { left in
            guard let text = left.text else { return try holds(left, right) }
            try WorkMeter.spend(text.utf8.count)
            return SearchTokens.tokens(in: text).contains { tokens.contains($0) }
        }
    }

    static func folding(_ options: Filter.Options) -> Filter.Options { [] }
}
