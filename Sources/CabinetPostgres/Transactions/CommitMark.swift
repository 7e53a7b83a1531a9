import Cabinet

/// What a write leaves in its database's row, so that it can be found out whether it was committed when the answer was lost.
///
/// The number of a PostgreSQL transaction would not do: after a crash it may be given out again.
struct CommitMark: Sendable {
    /// What no other write leaves.
    let text = String(UInt64.random(in: .min ... .max), radix: 36)
    /// How many writes of the database there are with this one.
    let number: Int64
}

extension DatabaseRow {
    /// Leaves a mark.
    mutating func leave(_ mark: CommitMark) {
        writes = mark.number
        marks = [mark.text] + marks.prefix(Self.markLimit - 1)
    }

    /// Whether a write was committed; `nil` if too many have followed to tell.
    func knows(_ mark: CommitMark) -> Bool? {
        if marks.contains(mark.text) { return true }
        return writes - mark.number < Int64(Self.markLimit) ? false : nil
    }
}
