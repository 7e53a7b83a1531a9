import Cabinet
import CloudKit
import Foundation
import Synchronization

/// The iCloud account of the device.
final class ICloudAccount: Sendable {
    private struct State {
        /// The user that was found last; `nil` before the first request, and after the account has changed.
        var known: String??
        var observation: Task<Void, Never>?
    }

    private let container: CKContainer
    private let state = Mutex(State())

    init(_ container: CKContainer) {
        self.container = container
    }

    deinit { stop() }

    /// Forgets the user whenever the account of the device changes.
    func observe() {
        let task = Task { [weak self] in
            for await _ in NotificationCenter.default.notifications(named: .CKAccountChanged) {
                guard let self else { return }
                self.state.withLock { $0.known = nil }
            }
        }
        state.withLock { $0.observation = task }
    }

    func stop() {
        state.withLock { $0.observation }?.cancel()
    }

    /// Throws unless a caller is the user of the device.
    ///
    /// A caller without an account reads the public database alone, for which the user does not matter.
    func check(_ caller: Caller) async throws {
        guard let name = caller.account?.userRecordName else { return }
        let user = if let known = state.withLock({ $0.known }) { known } else { try await userRecordName() }
        state.withLock { $0.known = user }
        guard user == name else {
            throw CabinetError(
                .notAuthenticated,
                user == nil
                    ? "The device has no iCloud account now. Ask the user to sign in."
                    : "The iCloud account of the device is another one than the container's. Create another container.")
        }
    }

    /// Returns the record name of the user, or `nil` without an account.
    func userRecordName() async throws -> String? {
        do {
            let status = try await container.accountStatus()
            switch status {
            case .available: return try await container.userRecordID().recordName
            case .noAccount: return nil
            case .restricted:
                throw CabinetError(.managedAccountRestricted, "The device does not permit the use of iCloud.")
            case .temporarilyUnavailable:
                throw CabinetError(
                    .accountTemporarilyUnavailable, "The iCloud account is not ready. Ask the user to check it.")
            default:
                throw CabinetError(.serviceUnavailable, "The status of the iCloud account is unknown. Try again later.")
            }
        } catch {
            throw CabinetError(cloudKit: error)
        }
    }
}
