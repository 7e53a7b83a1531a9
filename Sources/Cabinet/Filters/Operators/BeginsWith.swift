/// `BEGINSWITH`: the left text begins with the right text, scalar by scalar; the empty text begins nothing.
enum BeginsWith: OperatorRule {
    static let spellings = ["BEGINSWITH"]

    static func typeError(_ left: OperandType, _ right: OperandType) -> String? {
        [left, right].first { !$0.mayBeText }.map {
            "BEGINSWITH compares text with text; \($0.finding)."
        }
    }

    static func holds(_ left: FilterValue, _ right: FilterValue) throws(CabinetError) -> Bool {
        if left.isNothing || right.isNothing { return false }
        guard let text = left.text, let beginning = right.text else {
            throw CabinetError(
                .invalidArguments, "BEGINSWITH compares text with text; the record has something else there.")
        }
        return !beginning.isEmpty && text.utf8.starts(with: beginning.utf8)
    }
}
