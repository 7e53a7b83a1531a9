import Cabinet
import CabinetWire
public import Foundation
import Synchronization

/// A request that was answered, for a log: without the query, the body and the credentials.
public struct RequestRecord: Sendable {
    /// The ID of the request, which the response also has.
    public let id: String
    /// The time at which the request arrived.
    public let date: Date
    /// The method.
    public let method: String
    /// The path of the target; of an asset, of notifications and of a share, whose path is secret, its beginning.
    public let path: String
    /// The identifier of the container; `nil` for a request of none.
    public let container: String?
    /// The name of the request or operation, or `other`.
    public let name: String
    /// The record name of the user.
    public let user: String?
    /// The address of the client, of IPv6 its network.
    public let address: String?
    /// The status of the response.
    public let status: Int
    /// The time until the response began.
    public let duration: Duration
    /// The error that the server's operator should know, such as one of the store; of several, the first one and their number.
    public let error: String?

    private static let dateStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// The record as an object of JSON, on one line.
    public var json: String {
        var writer = JSONWriter()
        // The closure does not throw.
        try? writer.object { writer in
            func member(_ key: StaticString, _ text: String?) {
                guard let text else { return }
                writer.key(key)
                writer.write(text)
            }
            member("time", Self.dateStyle.format(date))
            member("id", id)
            member("method", method)
            member("path", path)
            member("container", container)
            member("request", name)
            member("user", user)
            member("address", address)
            writer.key("status")
            writer.write(Int64(status))
            writer.key("ms")
            writer.write((duration / .milliseconds(1) * 1000).rounded() / 1000)
            member("error", error)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// A request while it is answered, with what its record needs.
final class ServerExchange: Sendable {
    private struct State {
        var container: String?
        var name = "other"
        var user: String?
        var error: String?
        var errorCount = 0
        var nextWebToken: String?
    }

    /// The beginnings of the paths that are the right to read what they name, whether or not they are well formed.
    private static let secretPaths: Set<String> = ["assets", "courier", "share"]

    let request: HTTPRequest
    let id: String
    let clientAddress: String?
    private let memory: BodyBudget.Share
    private let date = Date()
    private let state = Mutex(State())

    init(_ request: HTTPRequest, clientAddress: String?, budget: BodyBudget) {
        self.request = request
        self.clientAddress = clientAddress
        memory = BodyBudget.Share(of: budget, address: clientAddress)
        // A client may choose the ID, so that it finds the request in the log.
        let own = request.headerFields[.requestID].flatMap { UUID(uuidString: $0) }
        id = own.map { $0.uuidString.lowercased() } ?? RequestID.make()
    }

    /// Reads the whole body into memory, if the server has the room.
    func collectBody(upTo limit: Int) async throws -> Data {
        try await request.body.collect(upTo: limit) { try memory.take($0) }
    }

    /// Counts memory that the body needs beside its bytes, if the server has the room.
    func reserve(_ bytes: Int) throws(CabinetError) { try memory.take(bytes) }

    func set(_ container: WireContainer) { state.withLock { $0.container = container.identifier } }

    func set(name: String) { state.withLock { $0.name = name } }

    func set(user: String) { state.withLock { $0.user = user } }

    /// The web token with which the client's next request comes.
    var nextWebToken: String? {
        get { state.withLock(\.nextWebToken) }
        set { state.withLock { $0.nextWebToken = newValue } }
    }

    /// Remembers an error that is not the client's, and counts the following ones.
    func set(_ error: any Error) {
        state.withLock { state in
            state.errorCount += 1
            // Of a batch, each record can have one.
            if state.errorCount == 1 { state.error = String("\(error)".prefix(Self.longestError)) }
        }
    }

    private static let longestError = 10_000

    /// Returns the beginning of a path that is secret; `nil` for another path.
    private static func secretStart(of path: String) -> String? {
        let slash = UInt8(ascii: "/")
        let word = path.utf8.drop { $0 == slash }.prefix { $0 != slash }
        // Foundation's decoder takes longer than all the rest of the record.
        let name = word.contains(UInt8(ascii: "%")) ? String(Substring(word)).removingPercentEncoding : String(word)
        return name.flatMap { secretPaths.contains($0) ? "/\($0)" : nil }
    }

    func record(status: Int, duration: Duration) -> RequestRecord {
        let state = state.withLock { $0 }
        let path = Self.secretStart(of: request.path) ?? request.path
        return RequestRecord(
            id: id, date: date, method: request.method.rawValue, path: path, container: state.container,
            name: state.name, user: state.user, address: clientAddress, status: status, duration: duration,
            error: state.error.map {
                state.errorCount == 1 ? $0 : "\($0)\nThe first of \(state.errorCount) errors of the request."
            })
    }
}
