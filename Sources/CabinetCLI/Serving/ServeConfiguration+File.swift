import Cabinet
import CabinetListener
import CabinetServer
import CabinetTools
import Foundation
import TerminalProgram

extension ServeConfiguration {
    /// Reads a configuration file.
    mutating func read(_ file: URL) throws {
        let data = try Invocation.data(at: file.relativePath)
        let contents: File
        do {
            // Foundation's error does not say where a mistake is.
            _ = try JSONValue(parsing: String(decoding: data, as: UTF8.self))
            contents = try File(data)
        } catch let error where error is DecodingError || error is CabinetError {
            let reason = (error as? DecodingError)?.shown ?? error.localizedDescription
            throw CommandError.usage("\(file.relativePath.printable) is not a configuration. \(reason.printable)")
        }
        addresses = try (contents.listen ?? []).map(Self.address)
        tls = contents.tls.map {
            HTTPListener.TLS(certificate: URL(filePath: $0.certificate), key: URL(filePath: $0.key))
        }
        served = try (contents.containers ?? []).map {
            var served = try Self.served($0.identifier, $0.environment ?? "development", $0.store, $0.schema)
            served.programURL = $0.programURL
            return served
        }
        server.publicURL = try contents.publicURL.map(Self.publicURL)
        server.signInURL = contents.signInURL
        server.isBehindProxy = contents.isBehindProxy ?? false
        webTokens = contents.jwt.map { jwt in
            WebTokens(
                configuration: .init(
                    issuer: jwt.issuer, audience: jwt.audience, rolesClaim: jwt.rolesClaim,
                    clockSkew: jwt.clockSkew ?? 60),
                file: URL(filePath: jwt.keys))
        }
        if let limits = contents.limits { try set(limits) }
        // All connections of a proxy have its address.
        if server.isBehindProxy, contents.limits?.connectionsPerAddress == nil {
            connections.connectionsPerAddress = connections.connections
        }
    }

    private static func publicURL(_ text: String) throws(CommandError) -> String {
        guard let url = URL(string: text), ["https", "http"].contains(url.scheme), url.host?.isEmpty == false,
            url.user == nil, url.query == nil, url.fragment == nil
        else {
            throw .usage(
                "'publicURL' is '\(text.printable)'; expected the server's address, such as https://records.example.com."
            )
        }
        return text
    }

    private mutating func set(_ limits: File.Limits) throws {
        func checked<Number: Comparable>(
            _ number: Number?, _ name: String, _ range: ClosedRange<Number>
        ) throws(CommandError) -> Number? {
            guard let number, !range.contains(number) else { return number }
            throw .usage("The limit '\(name)' is \(number); expected \(range.lowerBound) to \(range.upperBound).")
        }
        if let size = try checked(limits.bodySize, "bodySize", 1...1 << 30) { server.limits.bodySize = size }
        if let size = try checked(limits.bodyMemory, "bodyMemory", 1...1 << 40) { server.limits.bodyMemory = size }
        if let seconds = try checked(limits.seconds, "seconds", 0.001...86_400) {
            server.limits.time = .seconds(seconds)
        }
        if let rate = try checked(limits.userRate, "userRate", 0.001...1_000_000) {
            server.limits.user = .init(perSecond: rate, burst: rate * 10)
        }
        if let rate = try checked(limits.addressRate, "addressRate", 0.001...1_000_000) {
            server.limits.address = .init(perSecond: rate, burst: rate * 10)
        }
        if let count = try checked(limits.streams, "streams", 0...1_000_000) { server.limits.streams = count }
        if let count = try checked(limits.connections, "connections", 1...1_000_000) {
            connections.connections = count
        }
        if let count = try checked(limits.connectionsPerAddress, "connectionsPerAddress", 1...1_000_000) {
            connections.connectionsPerAddress = count
        }
    }

    /// The contents of a configuration file.
    private struct File: Codable {
        struct TLS: Codable {
            let certificate: String
            let key: String
        }

        struct Container: Codable {
            let identifier: String
            let environment: String?
            let store: String?
            let schema: String?
            let programURL: String?
        }

        struct Limits: Codable {
            let bodySize: Int?
            let bodyMemory: Int?
            let seconds: Double?
            let userRate: Double?
            let addressRate: Double?
            let streams: Int?
            let connections: Int?
            let connectionsPerAddress: Int?
        }

        struct WebTokens: Codable {
            let keys: String
            let issuer: String
            let audience: String
            let rolesClaim: String?
            let clockSkew: Double?
        }

        let listen: [String]?
        let tls: TLS?
        let publicURL: String?
        let signInURL: String?
        let isBehindProxy: Bool?
        let containers: [Container]?
        let jwt: WebTokens?
        let limits: Limits?

        /// Reads JSON that has no other keys, so that no misspelled one is passed over.
        init(_ json: Data) throws {
            self = try JSONDecoder().decode(File.self, from: json)
            let known = try JSONSerialization.jsonObject(with: JSONEncoder().encode(self))
            if let key = Self.unknownKey(of: try JSONSerialization.jsonObject(with: json), known) {
                throw CommandError.usage("The configuration has an unknown key '\(key.printable)'.")
            }
        }

        /// Returns a key that a value of JSON has, and the value that was written again lacks.
        private static func unknownKey(of value: Any, _ known: Any?) -> String? {
            if let values = value as? [Any] {
                let known = known as? [Any] ?? []
                return zip(values, known).lazy.compactMap { unknownKey(of: $0, $1) }.first
            }
            guard let members = value as? [String: Any] else { return nil }
            let knownMembers = known as? [String: Any] ?? [:]
            for (key, value) in members.sorted(by: { $0.key < $1.key }) where !(value is NSNull) {
                guard let knownValue = knownMembers[key] else { return key }
                if let key = unknownKey(of: value, knownValue) { return key }
            }
            return nil
        }
    }
}
