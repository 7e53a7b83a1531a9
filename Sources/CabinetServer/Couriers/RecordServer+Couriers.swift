import Cabinet
import CabinetWire
import Foundation

/// Notifications of CloudKit's dialect, which a client polls: `/courier/1/CONTAINER/ENVIRONMENT/TOKEN`.
///
/// The token is the right to read them, and no other credentials are needed.
extension RecordServer {
    /// Returns the maker of couriers of a container; `nil` if the server has none.
    func couriers(
        of container: WireContainer, _ service: any DatabaseService, _ baseURL: String
    ) -> (@Sendable (Caller) async throws -> CourierToken)? {
        guard let store = configuration.couriers else { return nil }
        return { caller in
            guard let user = caller.account?.userRecordName else {
                throw CabinetError(.notAuthenticated, "Notifications are a user's. Sign in first.")
            }
            let client = try Self.client(of: container, service, user)
            let position = try await client.fetchNotifications(since: nil, includingOwnChanges: true).token
            let courier = Courier(userRecordName: user, position: position, date: Date())
            let token = try await store.addCourier(courier, in: container)
            let path = ["courier", "1", container.identifier, container.environment.rawValue, token]
            return CourierToken(token: token, courierURL: baseURL + RequestTarget(path: path).description)
        }
    }

    private static func client(
        of container: WireContainer, _ service: any DatabaseService, _ user: String
    ) throws -> Container {
        try Container(
            identifier: container.identifier, service: service, account: Account(userRecordName: user),
            deviceID: "courier")
    }

    func courierResponse(to exchange: ServerExchange, _ target: RequestTarget) async -> HTTPResponse {
        exchange.set(name: ServerExchange.courierName)
        var response: HTTPResponse
        do {
            guard exchange.request.method == .get else {
                throw HTTPError(.methodNotAllowed, "The path is for GET alone.")
            }
            try countAddress(of: exchange)
            let json = try await nextNotification(exchange, target)
            response = try HTTPResponse(
                contentType: "application/json; charset=UTF-8", body: HTTPBody(Data(json ?? [])))
        } catch let error as CabinetError where error.code == .changeTokenExpired {
            let message =
                "Notifications were removed before they were fetched. Ask for all changes, and create a token."
            response = HTTPResponse(reporting: HTTPError(.gone, message))
        } catch let error as CabinetError where error.retryAfterSeconds != nil {
            response = HTTPResponse(
                reporting: HTTPError(error.code.status == 429 ? .tooManyRequests : .serviceUnavailable, error.message))
            let seconds = Int((error.retryAfterSeconds ?? 1).rounded(.up))
            response.headerFields.append(checked: .retryAfter, value: "\(seconds)")
        } catch {
            if !(error is HTTPError || error is CancellationError) { exchange.set(error) }
            response = HTTPResponse(reporting: error)
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
        let user = courier.userRecordName
        exchange.set(user: user)
        let client = try Self.client(of: container, service, user)
        let caller = Caller(account: Account(userRecordName: user), deviceID: "courier")
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
        while await stream.next() != nil {
            while let courier = try await store.courier(token, in: container) {
                let found = try await client.fetchNotifications(
                    since: courier.position, includingOwnChanges: true, resultsLimit: 1)
                guard let notification = found.notifications.first else { break }
                var next = courier
                (next.position, next.date) = (notification.token, Date())
                // Another poll of the same token may have been faster.
                guard try await store.replace(courier, by: next, token: token, in: container) else { continue }
                return CloudKitNotification(
                    notification, notificationID: UUID().uuidString.lowercased(),
                    containerIdentifier: container.identifier, userRecordName: user
                ).json
            }
        }
        return nil
    }
}
