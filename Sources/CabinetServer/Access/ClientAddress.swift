import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The address of a client, as requests are counted by it.
enum ClientAddress {
    /// Returns the first 64 bits of an address of IPv6, and any other text unchanged.
    ///
    /// A client of IPv6 usually has 2^64 addresses. An address of IPv4 that is written as one of IPv6, such as `::ffff:203.0.113.5`, is
    /// returned as that of IPv4: otherwise all clients of IPv4 would be one.
    static func network(of address: String) -> String {
        var bytes = in6_addr()
        guard address.utf8.contains(UInt8(ascii: ":")), inet_pton(AF_INET6, address, &bytes) == 1 else {
            return address
        }
        let octets = withUnsafeBytes(of: bytes, Array.init)
        if octets.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) {
            return octets[12...].map { String($0) }.joined(separator: ".")
        }
        let groups = (0..<4).map { String(Int(octets[2 * $0]) << 8 | Int(octets[2 * $0 + 1]), radix: 16) }
        return groups.joined(separator: ":") + "::/64"
    }

    /// Returns the address of the client that a proxy has added to `X-Forwarded-For`: the last one.
    static func forwarded(_ request: HTTPRequest) -> String? {
        guard let name = HTTPField.Name("X-Forwarded-For"), let list = request.headerFields[name] else { return nil }
        // By scalars: the client writes what precedes the proxy's comma, and could make it a part of a letter.
        return list.unicodeScalars.split(separator: ",").last.map { String($0).trimmingCharacters(in: .whitespaces) }
    }
}
