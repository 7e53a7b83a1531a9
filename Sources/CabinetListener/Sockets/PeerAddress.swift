#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The address of a client.
struct PeerAddress: Sendable {
    /// The unit of the limit of connections: an address of IPv4, or the network part of one of IPv6.
    struct Network: Hashable, Sendable {
        let family: Int32
        let prefix: UInt64
    }

    /// The address as a text.
    let text: String
    let network: Network

    /// Reads what `accept` returns; `nil` for a Unix socket.
    init?(_ storage: sockaddr_storage) {
        var storage = storage
        let family = Int32(storage.ss_family)
        guard family == AF_INET || family == AF_INET6 else { return nil }
        let bytes = withUnsafeBytes(of: &storage) { raw in
            // After the family and the port; an address of IPv6 has its flow before it.
            Array(family == AF_INET ? raw[4..<8] : raw[8..<24])
        }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        if family == AF_INET || bytes.starts(with: mapped) {
            let address = bytes.suffix(4)
            text = address.map(String.init).joined(separator: ".")
            network = Network(family: AF_INET, prefix: address.reduce(0) { $0 << 8 | UInt64($1) })
        } else {
            var buffer = [UInt8](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            buffer.withUnsafeMutableBytes { buffer in
                _ = inet_ntop(AF_INET6, bytes, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), 46)
            }
            text = String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
            network = Network(family: AF_INET6, prefix: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
        }
    }
}
