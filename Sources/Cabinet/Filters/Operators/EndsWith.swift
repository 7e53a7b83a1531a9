/// `ENDSWITH`: the left text ends with the right text, scalar by scalar; the empty text ends nothing.
enum EndsWith: OperatorRule {
    static let spellings = ["ENDSWITH"]

    static func typeError(_ left: OperandType, _ right: OperandType) -> String? {
        [left, right].first { !$0.mayBeText }.map {
            "ENDSWITH compares text with text; \($0.finding)."
        }
    }

    static func holds(_ left: FilterValue, _ right: FilterValue) throws(CabinetError) -> Bool {
        if left.isNothing || right.isNothing { return false }
        guard let text = left.text, let end = right.text else {
            throw CabinetError(
                .invalidArguments, "ENDSWITH compares text with text; the record has something else there.")
        }
        // Comparing bytes is comparing scalars, because no scalar's UTF-8 bytes begin within another's.
        return !end.isEmpty && text.hasLastBytes(of: end)
    }
}

extension String {
    /// Whether the text's last UTF-8 bytes are those of another.
    fileprivate func hasLastBytes(of end: String) -> Bool {
        var text = self
        var end = end
        return text.withUTF8 { text in
            end.withUTF8 { end in text.count >= end.count && text.suffix(end.count).elementsEqual(end) }
        }
    }
}
