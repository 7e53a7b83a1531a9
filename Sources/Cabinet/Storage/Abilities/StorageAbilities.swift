/// The optional abilities of a store, beyond reading and writing.
///
/// Each ability is a value of its own protocol, or `nil`. If an ability is absent, the core does the work itself or refuses it
/// with a clear error. A backend that wraps another one passes the whole value on, or replaces one part of it.
public struct StorageAbilities: Sendable {
    /// The ability to signal changes; without it, the core polls.
    public var signals: (any ChangeSignals)?

    /// The ability to list the store's databases; without it, work on the whole store, such as copying, is refused.
    public var databases: (any DatabaseListing)?

    /// The ability to store the bytes of assets; without it, records with assets are refused.
    public var assets: (any AssetStorage)?

    /// The ability to check and rebuild the store's own structures; without it, a verification does not check them.
    public var maintenance: (any StorageMaintenance)?

    /// Creates abilities; by default none.
    ///
    /// - Parameters:
    ///   - signals: Signals changes.
    ///   - databases: Lists the databases of the store.
    ///   - assets: Stores the bytes of assets.
    ///   - maintenance: Checks and rebuilds the store's own structures.
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
