import Cabinet
import Foundation

/// A query in one zone or in all of them.
struct RecordSelection: Sendable, Hashable {
    var query: Query
    /// The zone; `nil` for all zones.
    var zoneID: RecordZone.ID?

    init(_ recordType: Record.RecordType, zoneID: RecordZone.ID? = nil) {
        query = Query(recordType: recordType)
        self.zoneID = zoneID
    }
}

extension Sort {
    /// Reads sort keys such as `name,-year`.
    static func list(_ text: String) -> [Sort] {
        text.names.map { $0.hasPrefix("-") ? Sort(String($0.dropFirst()), ascending: false) : Sort($0) }
    }
}

extension String {
    /// The names in a list such as `name,year`.
    var names: [String] {
        split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
