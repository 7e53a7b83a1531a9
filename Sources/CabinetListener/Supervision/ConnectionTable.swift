import CabinetServer

/// The open connections by their descriptor, and how many each network has.
struct ConnectionTable {
    private(set) var connections: [Int32: Connection] = [:]
    private var counts: [PeerAddress.Network: Int] = [:]

    /// Whether the limits allow a further connection.
    func admits(_ peer: PeerAddress?, limits: HTTPLimits) -> Bool {
        guard connections.count < limits.connections else { return false }
        guard let peer else { return true }
        return counts[peer.network, default: 0] < limits.connectionsPerAddress
    }

    mutating func insert(_ connection: Connection) {
        connections[connection.descriptor] = connection
        if let peer = connection.peer { counts[peer.network, default: 0] += 1 }
    }

    mutating func remove(_ connection: Connection) {
        guard connections[connection.descriptor] === connection else { return }
        connections[connection.descriptor] = nil
        if let network = connection.peer?.network {
            let count = counts[network, default: 0] - 1
            counts[network] = count > 0 ? count : nil
        }
    }
}
