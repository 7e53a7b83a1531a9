/// The optional abilities of a view of a database.
///
/// Each ability is a value of its own protocol, or `nil`; it is valid as long as its view.
public struct SnapshotAbilities: Sendable {
    /// The ability to compute counts and values of a plan's records; without it, the core computes them from pages.
    public var aggregates: (any StorageAggregates)?

    /// The ability to read stored assets; the view of a backend with ``StorageAbilities/assets`` has it.
    public var assets: (any StoredAssets)?

    /// Creates abilities; by default none.
    ///
    /// - Parameters:
    ///   - aggregates: Computes counts and values of a plan's records.
    ///   - assets: Reads stored assets.
    public init(aggregates: (any StorageAggregates)? = nil, assets: (any StoredAssets)? = nil) {
        self.aggregates = aggregates
        self.assets = assets
    }
}
