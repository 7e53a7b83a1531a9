import Cabinet
import ExampleSupport
import Foundation
import TerminalProgram

extension RowList {
    /// Updates the rows to those that are shown, and returns the visible ones.
    @MainActor
    mutating func show<Fields: NamedFields>(
        _ records: [Typed<Fields>], on screen: FullScreen, search: RowSearch
    ) -> ArraySlice<Typed<Fields>> where ID == Typed<Fields>.ID {
        let shown = search.found(in: screen.remaining(records), \.title)
        update(shown.map(\.id))
        resize(toHeight: screen.bodyHeight - search.height)
        return shown[visible]
    }
}

extension FullScreen {
    /// The body of a screen of rows.
    ///
    /// - Parameters:
    ///   - visible: The texts of the visible rows.
    ///   - empty: The text to show if there are no rows; `nil` while they are fetched.
    func body<ID: Hashable & Sendable>(_ visible: [[String]], of rows: RowList<ID>, empty: Sentence?) -> [StyledText] {
        if visible.isEmpty { return empty.map { [StyledText("  \($0.rawValue)", .dim)] } ?? [] }
        let layout = RowLayout(visible, width: size.columns)
        return zip(rows.visible, visible).map { layout.line($1, isSelected: $0 == rows.position) }
    }

    /// Shows the two values of a field that both sides have changed, and asks which one to keep.
    ///
    /// - Returns: `nil` if the person goes back to the form.
    func choose(_ error: FieldChangedTwice) async throws(EndOfInput) -> Preference? {
        try await choose(error.localizedDescription, Preference.choices).flatMap(Preference.init)
    }
}
