import Cabinet
import Foundation
import TerminalProgram

extension Record {
    /// The name of a list or an item.
    var name: String? { self["name"] }

    /// The name as it is shown: a dash if there is none.
    var title: String {
        guard let name, !name.isEmpty else { return "-" }
        return name.printable
    }

    /// How many of an item to buy: 1 if nobody has said.
    var number: Int { self["number"] ?? 1 }
}

extension [Record] {
    /// Sorts lists or items as the screen shows them.
    mutating func sortByName() {
        sort { ($0.name ?? "").localizedCaseInsensitiveCompare($1.name ?? "") == .orderedAscending }
    }

    /// The lists or items as the screen shows them.
    func sortedByName() -> [Record] {
        var records = self
        records.sortByName()
        return records
    }
}
