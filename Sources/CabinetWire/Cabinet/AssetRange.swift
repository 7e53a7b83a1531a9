public import Cabinet

/// A range of an asset's bytes, of a record that has the asset.
public struct AssetRange: Sendable, Hashable {
    /// The asset.
    public var asset: StoredAsset
    /// A record that has the asset.
    public var recordID: RecordID
    /// The database of the record.
    public var scope: DatabaseScope
    /// The positions of the bytes.
    public var range: Range<Int64>

    /// Creates a range.
    ///
    /// - Parameters:
    ///   - asset: The asset.
    ///   - recordID: A record that has the asset.
    ///   - scope: The database of the record.
    ///   - range: The positions of the bytes.
    public init(asset: StoredAsset, recordID: RecordID, scope: DatabaseScope, range: Range<Int64>) {
        self.asset = asset
        self.recordID = recordID
        self.scope = scope
        self.range = range
    }

    /// Reads a range from the last segment of a path and its query.
    init(_ segment: String, _ target: RequestTarget) throws(RouteError) {
        guard let asset = StoredAsset(segment) else {
            throw .malformed("The asset is not a checksum, a colon and a size.")
        }
        guard let name = target["record"] else { throw .malformed("The query needs 'record'.") }
        guard let scope = target["scope"] else { throw .malformed("The query needs 'scope'.") }
        let (from, to) = (try Self.offset("from", in: target), try Self.offset("to", in: target))
        guard from <= to, to <= asset.size else { throw .malformed("'from' and 'to' are not a range of the asset.") }
        let zoneID = RecordZone.ID(
            zoneName: target["zone"] ?? RecordZone.ID.defaultZoneName,
            ownerName: target["owner"] ?? RecordZone.ID.defaultOwnerName)
        self.init(
            asset: asset, recordID: RecordID(recordName: name, zoneID: zoneID),
            scope: try DatabaseScope(segment: scope),
            range: from..<to)
    }

    /// The items of the query.
    var query: [RequestTarget.Item] {
        var items = [("scope", scope.segment), ("record", recordID.recordName)]
        let zoneID = recordID.zoneID
        if zoneID != .default { items += [("zone", zoneID.zoneName), ("owner", zoneID.ownerName)] }
        items += [("from", "\(range.lowerBound)"), ("to", "\(range.upperBound)")]
        return items.map { RequestTarget.Item(name: $0, value: $1) }
    }

    /// Reads a position from the query.
    static func offset(_ name: String, in target: RequestTarget) throws(RouteError) -> Int64 {
        guard let text = target[name], text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }), let offset = Int64(text)
        else {
            throw .malformed("The query needs '\(name)', the number of a byte.")
        }
        return offset
    }
}
