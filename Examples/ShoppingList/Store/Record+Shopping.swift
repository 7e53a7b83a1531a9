import Cabinet
import TerminalProgram

extension Record {
    /// The name of a list or an item.
    var name: String? { self["name"] }

    /// The name as it is shown: a dash if there is none.
    var title: String {
        guard let name, !name.isEmpty else { return "-" }
        return name.printable
    }

    /// How many of an item to buy: 1 if the item was saved before items had numbers.
    var number: Int { self["number"] ?? 1 }
}
