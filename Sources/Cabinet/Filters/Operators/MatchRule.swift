import Foundation

/// The meaning of `MATCHES`, with and without regard to case.
protocol MatchRule: OperatorRule {
    static var patternOptions: NSRegularExpression.Options { get }
}

extension MatchRule {
    static var spellings: [String] { ["MATCHES"] }

    static func typeError(_ left: OperandType, _ right: OperandType) -> String? {
        [left, right].first { !$0.mayBeText }.map {
            "MATCHES compares text with a regular expression; \($0.finding)."
        }
    }

    static func valueError(about right: FilterValue) -> CabinetError? {
        guard let text = right.text else { return nil }
        do throws(CabinetError) {
            _ = try RegularExpression(text, options: patternOptions)
            return nil
        } catch {
            return error
        }
    }

    static func holds(_ left: FilterValue, _ right: FilterValue) throws(CabinetError) -> Bool {
        if left.isNothing || right.isNothing { return false }
        guard let text = left.text, let pattern = right.text else { throw unfit }
        return try RegularExpression(pattern, options: patternOptions).matches(text)
    }

    static func judge(_ right: FilterValue) -> FilterJudge {
        // Validation has compiled the pattern before; should it fail here, it fails again for each record.
        guard let text = right.text, let pattern = try? RegularExpression(text, options: patternOptions) else {
            return { try holds($0, right) }
        }
        return { left in
            if left.isNothing { return false }
            guard let text = left.text else { throw unfit }
            return try pattern.matches(text)
        }
    }

    static func folding(_ options: Filter.Options) -> Filter.Options {
        options.subtracting(.caseInsensitive)
    }

    private static var unfit: CabinetError {
        CabinetError(
            .invalidArguments, "MATCHES compares text with a regular expression; the record has something else there.")
    }
}

/// `MATCHES`: the whole left text matches the right one, a regular expression.
enum Matches: MatchRule {
    static let patternOptions: NSRegularExpression.Options = []
}

/// `MATCHES[c]`, whose pattern is not folded, because `\D` is not `\d`: regular expressions ignore case themselves.
enum MatchesInAnyCase: MatchRule {
    static let patternOptions: NSRegularExpression.Options = [.caseInsensitive]
}
