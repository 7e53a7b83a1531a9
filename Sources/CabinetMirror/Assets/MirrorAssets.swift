/// The bytes of assets that a mirror keeps in its local store, besides those that the server does not have yet.
public struct MirrorAssets: Sendable {
    /// The time at which the mirror fetches the bytes of an asset.
    public var fetching = Fetching.onDemand

    /// The maximum number of bytes of assets in the local store; 0 to keep none.
    ///
    /// Above it, the mirror removes the bytes that were fetched or read least recently and that the server has. The bytes of changes that were not
    /// sent stay, of any size.
    public var byteLimit: Int64 = 256 << 20

    /// Creates the defaults.
    public init() {}

    /// The times at which a mirror can fetch the bytes of assets.
    public enum Fetching: Sendable, Hashable, CaseIterable {
        /// The time of the first read, which needs the network.
        case onDemand
        /// The time after their records, so that they can be read without a network; above ``byteLimit``, the time of the first read.
        ///
        /// The local store remembers which are missing, also after the program ends. The assets of records that were fetched on demand
        /// before are still fetched by their first read.
        case atOnce
    }
}
