import Cabinet
import TerminalProgram

extension Record {
    /// The name of a list or an item.
    var name: String? { self["name"] }

    /// The name for display, or a dash if it is missing.
    var title: String {
        guard let name, !name.isEmpty else { return "-" }
        return name.printable
    }

    /// The number of an item to buy: 1 if the item was saved before items had numbers.
    var number: Int { self["number"] ?? 1 }
}
