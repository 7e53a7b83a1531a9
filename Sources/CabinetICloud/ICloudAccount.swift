import Cabinet
import CloudKit
import Foundation
import Synchronization

/// The iCloud account of the device.
final class ICloudAccount: Sendable {
    private struct State {
        /// The user that was found last; `nil` before the first request, and after the account has changed.
        var known: String??
        /// The number of changes of the account.
        var changeCount = 0
        var observation: Task<Void, Never>?
    }

    private let findUser: @Sendable () async throws -> String?
    private let state = Mutex(State())

    convenience init(_ container: CKContainer) {
        self.init { try await container.currentUserRecordName() }
    }

    /// Creates an account whose user a closure returns.
    init(_ findUser: @escaping @Sendable () async throws -> String?) {
        self.findUser = findUser
    }

    deinit { stop() }

    /// Forgets the user whenever the account of the device changes.
    func observe() {
        let task = Task { [weak self] in
            for await _ in NotificationCenter.default.notifications(named: .CKAccountChanged) {
                guard let self else { return }
                self.forgetUser()
            }
        }
        state.withLock { $0.observation = task }
    }

    /// Forgets the user, because the account of the device has changed.
    func forgetUser() {
        state.withLock { state in
            state.known = nil
            state.changeCount += 1
        }
    }

    func stop() {
        state.withLock { $0.observation }?.cancel()
    }

    /// Throws unless a caller is the user of the device.
    ///
    /// A caller without an account reads the public database alone, for which the user does not matter.
    func check(_ caller: Caller) async throws {
        guard let name = caller.account?.userRecordName else { return }
        let user = try await knownUserRecordName()
        guard user == name else {
            throw CabinetError(
                .notAuthenticated,
                user == nil
                    ? "The device has no iCloud account now. Ask the user to sign in."
                    : "The iCloud account of the device is another one than the container's. Create another container.")
        }
    }

    /// Returns the record name of the user, which is found once for each change of the account.
    private func knownUserRecordName() async throws -> String? {
        while true {
            let (known, changeCount) = state.withLock { ($0.known, $0.changeCount) }
            if let known { return known }
            let user = try await findUser()
            // The account may have changed in the meantime.
            let isCurrent = state.withLock { state in
                guard state.changeCount == changeCount else { return false }
                state.known = user
                return true
            }
            if isCurrent { return user }
        }
    }

    /// Returns the record name of the user, or `nil` without an account.
    func userRecordName() async throws -> String? { try await findUser() }
}

extension CKContainer {
    /// Returns the record name of the user, or `nil` without an account.
    fileprivate func currentUserRecordName() async throws -> String? {
        do {
            switch try await accountStatus() {
            case .available: return try await userRecordID().recordName
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
