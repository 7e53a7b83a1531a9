import Cabinet
import Foundation

/// The order of names on every screen: without regard to case and accents, and `Thing 2` before `Thing 10`.
extension Sort {
    /// The order as the store applies it.
    static let byName = Sort("name", options: [.caseInsensitive, .diacriticInsensitive, .numeric])
}

extension [Record] {
    /// The same order, for fetched records; a record without a name comes first.
    mutating func sortByName() {
        sort { ($0.name ?? "").localizedStandardCompare($1.name ?? "") == .orderedAscending }
    }
}
