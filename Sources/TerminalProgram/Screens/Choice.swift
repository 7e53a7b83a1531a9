/// A person's choice on a screen of rows: a letter, and for some letters the number of a row.
package enum Choice {
    case open(Int)
    case add
    case edit(Int)
    case delete(Int)
    /// Shows only the rows that ``RowSearch`` finds with this text; all rows if it is empty.
    case search(String)
    case undo
    /// The deletion before has failed, so the rows have other numbers than those that the person saw.
    case notDeleted(any Error)
    case refresh
    case next
    case previous
    case leave
    case unclear(String)

    /// Reads a choice, such as `2`, `a`, `d 2` or `/ milk`.
    ///
    /// - Parameters:
    ///   - typed: The typed text.
    ///   - count: The number of rows on the screen.
    package init(_ typed: String, rows count: Int) {
        let words = typed.split(whereSeparator: \.isWhitespace)
        if words.first?.first == "/" {
            self = .search(String(words.joined(separator: " ").dropFirst().drop(while: \.isWhitespace)))
            return
        }
        let letter = words.first.map { Int($0) == nil ? $0.lowercased() : "" }
        // The smallest number has none before it.
        let row = words.last.flatMap { Int($0) }.map { $0 &- 1 }
        let expectedWords = row == nil || letter == "" ? 1 : 2

        switch (letter, row) {
        case _ where words.count != expectedWords: self = .unclear("Choose one of these.")
        case (_, let row?) where !(0..<count).contains(row): self = .unclear("There is no row \(row &+ 1).")
        case ("", let row?): self = .open(row)
        case ("e", let row?): self = .edit(row)
        case ("d", let row?): self = .delete(row)
        case ("e", nil), ("d", nil): self = .unclear("Add the number of a row, as in: \(typed.lowercased()) 1")
        case ("a", nil): self = .add
        case ("u", nil): self = .undo
        case ("r", nil): self = .refresh
        case ("n", nil): self = .next
        case ("p", nil): self = .previous
        case ("q", nil): self = .leave
        default: self = .unclear("Choose one of these.")
        }
    }
}
