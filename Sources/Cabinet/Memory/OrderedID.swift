/// A record's ID, ordered by zone, and within a zone by record name.
struct OrderedID: Sendable, Comparable {
    let value: RecordID

    init(_ value: RecordID) {
        self.value = value
    }

    static func < (left: Self, right: Self) -> Bool {
        let (left, right) = (left.value, right.value)
        if left.zoneID == right.zoneID { return left.recordName.precedes(right.recordName) }
        if left.zoneID.zoneName.hasSameScalars(as: right.zoneID.zoneName) {
            return left.zoneID.ownerName.precedes(right.zoneID.ownerName)
        }
        return left.zoneID.zoneName.precedes(right.zoneID.zoneName)
    }
}

extension String {
    /// Whether the text's bytes precede those of another.
    fileprivate func precedes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
