import Cabinet
import CabinetWire
import Foundation

/// Notifications of CloudKit's dialect, which a client polls: `/courier/1/CONTAINER/ENVIRONMENT/TOKEN`.
///
/// The token is the right to read them, and no other credentials are needed.
extension RecordServer {
    func courierResponse(to exchange: ServerExchange, _ target: RequestTarget) async -> HTTPResponse {
        exchange.set(name: "courier")
        var response: HTTPResponse
        do {
            guard exchange.request.method == .get else { throw HTTPError.methodNotAllowed(.get) }
            try countAddress(of: exchange)
            let json = try await nextNotification(exchange, target)
            response = try HTTPResponse(
                contentType: "application/json; charset=UTF-8", body: HTTPBody(Data(json ?? [])))
        } catch {
            response = textResponse(reporting: error, exchange)
        }
        addBrowserFields(to: &response)
        return response
    }

    /// Waits for the next notification.
    ///
    /// - Returns: Its JSON; `nil` if there was none for the time of a poll.
    private func nextNotification(_ exchange: ServerExchange, _ target: RequestTarget) async throws -> [UInt8]? {
        let path = target.path
        let missing = HTTPError(.notFound, "There is no such token. Create one.")
        guard path.count == 5, path[1] == "1", let environment = WireEnvironment(rawValue: path[3]),
            let store = configuration.couriers
        else { throw missing }
        let container = WireContainer(identifier: path[2], environment: environment)
        let token = path[4]
        exchange.set(container)
        guard let service = services(container), let courier = try await store.courier(token, in: container) else {
            countGuess(of: exchange)
            throw missing
        }
        let now = Date()
        if now.timeIntervalSince(courier.date) > 86_400 {
            // A courier that is polled does not expire.
            var polled = courier
            polled.date = now
            _ = try await store.replace(courier, by: polled, token: token, in: container)
        }
        let user = courier.userRecordName
        exchange.set(user: user)
        let client = try Couriers.client(of: user, in: container, service)
        let caller = Caller(account: Account(userRecordName: user), deviceID: client.deviceID)
        let stream = try streams.open(
            try service.signals(of: [.public, .private], for: caller), of: "\(container) \(user)",
            limit: configuration.limits.streams
        ) { (try? await store.courier(token, in: container)) ?? nil != nil }
        let timer = Task { [pollTime = configuration.pollTime] in
            try? await Task.sleep(for: pollTime)
            stream.interrupt()
        }
        defer { timer.cancel() }
        // There is a signal at the beginning.
        for try await _ in HTTPBody(polling: stream.poll) {
            while let courier = try await store.courier(token, in: container) {
                guard let (notification, changeKey) = try await client.nextNotification(since: courier.position)
                else { break }
                var next = courier
                (next.position, next.date) = (notification.token, Date())
                // Another poll of the same token may have been faster.
                guard try await store.replace(courier, by: next, token: token, in: container) else { continue }
                let change = "\(container.identifier) \(container.environment.rawValue) \(user) \(changeKey)"
                return CloudKitNotification(
                    notification, notificationID: Self.notificationID(of: change),
                    containerIdentifier: container.identifier, userRecordName: user
                ).json
            }
        }
        return nil
    }

    /// Returns the ID of a change, which all notifications of it to a user have.
    private static func notificationID(of change: String) -> String {
        var bytes = Asset.Checksum(of: Data(change.utf8)).bytes
        // A UUID of version 8, whose bits a program chooses (RFC 9562).
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString.lowercased()
    }
}
