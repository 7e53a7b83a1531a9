/// The selection in a list of rows, and which of them are visible.
///
/// It knows the rows by their identity, so that the selection stays with its row when others come and go.
package struct RowList<ID: Hashable & Sendable>: Sendable {
    /// The position of the selected row; 0 if there are no rows.
    package private(set) var position = 0

    private var ids: [ID] = []
    private var first = 0
    private var height = 1
    /// A row to select as soon as it is there.
    private var expected: ID?

    /// Creates a list without rows.
    package init() {}

    /// The positions of the visible rows.
    package var visible: Range<Int> { first..<min(ids.count, first + height) }

    /// The selected row; `nil` if there are no rows.
    package var selection: ID? { ids.indices.contains(position) ? ids[position] : nil }

    /// Where the selection is, such as `3 of 2000`.
    package var status: String { ids.isEmpty ? "" : "\(position + 1) of \(ids.count)" }

    /// Takes the rows as they are now.
    ///
    /// A selected row that was deleted gives the selection to the one in its place.
    package mutating func update(_ new: [ID]) {
        if let expected, let index = new.firstIndex(of: expected) {
            (position, self.expected) = (index, nil)
        } else if let selection, !(new.indices.contains(position) && new[position] == selection) {
            position = new.firstIndex(of: selection) ?? position
        }
        ids = new
        scroll()
    }

    /// Takes the number of rows that fit.
    package mutating func resize(toHeight new: Int) {
        height = max(1, new)
        scroll()
    }

    /// Selects a row with the next update that contains it: a row that was just saved may not be here yet.
    package mutating func selectLater(_ id: ID) {
        expected = id
    }

    /// Moves the selection, if the key does that.
    ///
    /// - Returns: Whether it does.
    package mutating func handle(_ key: Key) -> Bool {
        let old = position
        defer { if position != old { expected = nil } }
        switch key {
        case .up, .character("k"): position -= 1
        case .down, .character("j"): position += 1
        case .pageUp: position -= height
        case .pageDown, .character(" "): position += height
        case .home, .character("g"): position = 0
        case .end, .character("G"): position = ids.count - 1
        default: return false
        }
        scroll()
        return true
    }

    private mutating func scroll() {
        position = max(0, min(position, ids.count - 1))
        first = max(position - height + 1, min(first, position))
        // No empty lines at the end while rows are hidden at the beginning.
        first = max(0, min(first, ids.count - height))
    }
}
