/// The rows of a long list that a screen of lines shows.
package struct Pages: Sendable {
    private var first = 0
    private let height: Int

    /// Begins with the first page.
    package init(height: Int) {
        self.height = max(1, height)
    }

    /// The number of rows that must be known to show the page, and whether another one follows.
    package var rowsNeeded: Int { first + height + 1 }

    /// The rows of the page.
    package func rows(of count: Int) -> Range<Int> {
        min(first, count)..<min(first + height, count)
    }

    /// Goes to the next page, if there is one.
    package mutating func next(of count: Int) {
        if first + height < count { first += height }
    }

    /// Goes to the page before.
    package mutating func previous() {
        first = max(0, first - height)
    }

    /// The keys that show other rows, if there are any.
    package func hints(of count: Int) -> [String] {
        (first + height < count ? ["n next page"] : []) + (first > 0 ? ["p previous page"] : [])
    }
}
