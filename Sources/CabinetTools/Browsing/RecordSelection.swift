package import Cabinet
import Foundation

/// A query in one zone or in all of them.
package struct RecordSelection: Sendable, Hashable {
    package var query: Query
    /// The zone; `nil` for all zones.
    package var zoneID: RecordZone.ID?

    package init(_ recordType: Record.RecordType, zoneID: RecordZone.ID? = nil) {
        query = Query(recordType: recordType)
        self.zoneID = zoneID
    }
}

extension Sort {
    /// Reads sort keys such as `name,-year`.
    package static func list(_ text: String) -> [Sort] {
        text.names.map { $0.hasPrefix("-") ? Sort(String($0.dropFirst()), ascending: false) : Sort($0) }
    }
}

extension String {
    /// The names in a list such as `name,year`.
    package var names: [String] {
        split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
