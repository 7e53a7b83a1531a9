import Cabinet
import CabinetWire
import Foundation

/// The couriers of one container, as a request of a client reaches them.
struct Couriers: Sendable {
    let store: any CourierStore
    let container: WireContainer
    let service: any DatabaseService
    /// The address by which the client reaches the server.
    let baseURL: String

    /// Adds a courier for the notifications from now on.
    func add(for caller: Caller) async throws -> CourierToken {
        guard let user = caller.account?.userRecordName else {
            throw CabinetError(.notAuthenticated, "Notifications belong to a user. Sign in first.")
        }
        let client = try Self.client(of: user, in: container, service)
        let position = try await client.fetchNotifications(since: nil, includingOwnChanges: true).token
        let courier = Courier(userRecordName: user, position: position, date: Date())
        let token = try await store.addCourier(courier, in: container)
        let path = ["courier", "1", container.identifier, container.environment.rawValue, token]
        return CourierToken(token: token, courierURL: baseURL + RequestTarget(path: path).description)
    }

    /// Returns whether a token is one of the caller's couriers.
    func has(_ token: String, of caller: Caller) async throws -> Bool {
        guard let user = caller.account?.userRecordName else { return false }
        return try await store.courier(token, in: container)?.userRecordName == user
    }

    /// Returns a client that reads a user's notifications.
    static func client(
        of user: String, in container: WireContainer, _ service: any DatabaseService
    ) throws -> Container {
        try Container(
            identifier: container.identifier, service: service, account: Account(userRecordName: user),
            deviceID: "courier")
    }
}
