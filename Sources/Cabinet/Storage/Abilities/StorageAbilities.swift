/// The optional abilities of a store, beyond reading and writing.
///
/// Each ability is a value of its own protocol, or `nil`. What is absent, the core does itself or refuses with a clear error. A
/// backend that wraps another one passes the whole value on, or replaces one part of it.
public struct StorageAbilities: Sendable {
    /// Signals changes; without it, the core polls.
    public var signals: (any ChangeSignals)?

    /// Lists the databases of the store; without it, work on the whole store, such as copying, is refused.
    public var databases: (any DatabaseListing)?

    /// Keeps the bytes of assets; without it, records with assets are refused.
    public var assets: (any AssetStorage)?

    /// Checks and rebuilds what lies below the seam; without it, nothing there is checked.
    public var maintenance: (any StorageMaintenance)?

    /// Creates abilities; by default none.
    ///
    /// - Parameters:
    ///   - signals: Signals changes.
    ///   - databases: Lists the databases of the store.
    ///   - assets: Keeps the bytes of assets.
    ///   - maintenance: Checks and rebuilds what lies below the seam.
    public init(
        signals: (any ChangeSignals)? = nil, databases: (any DatabaseListing)? = nil,
        assets: (any AssetStorage)? = nil, maintenance: (any StorageMaintenance)? = nil
    ) {
        self.signals = signals
        self.databases = databases
        self.assets = assets
        self.maintenance = maintenance
    }
}
