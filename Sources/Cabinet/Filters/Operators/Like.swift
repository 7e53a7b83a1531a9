/// `LIKE`: the left text is as the right one says, in which `?` is any one scalar and `*` any number of them.
enum Like: OperatorRule {
    static let spellings = ["LIKE"]

    static func typeError(_ left: OperandType, _ right: OperandType) -> String? {
        [left, right].first { !$0.mayBeText }.map {
            "LIKE compares text with a pattern; \($0.finding)."
        }
    }

    static func holds(_ left: FilterValue, _ right: FilterValue) throws(CabinetError) -> Bool {
        if right.isNothing { return false }
        guard let pattern = right.text else { throw unfit }
        return try holds(left, WildcardPattern(pattern))
    }

    static func judge(_ right: FilterValue) -> FilterJudge {
        guard let text = right.text else { return { try holds($0, right) } }
        let pattern = WildcardPattern(text)
        return { try holds($0, pattern) }
    }

    private static func holds(_ left: FilterValue, _ pattern: WildcardPattern) throws(CabinetError) -> Bool {
        if left.isNothing { return false }
        guard let text = left.text else { throw unfit }
        return try pattern.matches(text)
    }

    private static var unfit: CabinetError {
        CabinetError(.invalidArguments, "LIKE compares text with a pattern; the record has something else there.")
    }
}
