/// Compares a left value with a right one that is known.
typealias FilterJudge = @Sendable (_ left: FilterValue) throws -> Bool
