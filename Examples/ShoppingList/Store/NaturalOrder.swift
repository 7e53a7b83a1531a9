import Cabinet
import Foundation

/// The order of names on every screen: without regard to case and accents, and `Thing 2` before `Thing 10`.
extension NamedFields {
    /// The order as the store applies it.
    var byName: Sort { name.sorted(options: [.caseInsensitive, .diacriticInsensitive, .numeric]) }
}

extension Array {
    /// The same order, for fetched records.
    mutating func sortByName<Fields: NamedFields>() where Element == Typed<Fields> {
        sort { $0.name.localizedStandardCompare($1.name) == .orderedAscending }
    }
}
