import Cabinet
import CabinetWire
import Foundation

/// The server's part of the answers in CloudKit's dialect: texts that are bound to a container and a user by the server's secret.
struct SealedHost: CloudKitHost {
    let secret: ServerSecret
    let container: WireContainer
    let baseURL: String
    let directory: (any UserDirectory)?
    /// The notifications; `nil` if the server has none.
    let couriers: Couriers?

    func seal(_ text: String, for caller: Caller) -> String {
        // Apple's service writes this alphabet, so that a client may check for it.
        Data(secret.sealed(text, for: context(caller))).base64EncodedString()
    }

    func open(_ sealed: String, for caller: Caller) throws(CabinetError) -> String {
        guard let text = secret.open(sealed, for: context(caller)) else {
            throw CabinetError(
                .invalidArguments, "The token is not one that this server gave to the user. Begin without a token.")
        }
        return text
    }

    private func context(_ caller: Caller) -> [String] {
        [
            "token", container.identifier, container.environment.rawValue, caller.account == nil ? "" : "user",
            caller.account?.userRecordName ?? "",
        ]
    }

    func uploadURL(for slot: AssetSlot, caller: Caller) throws(CabinetError) -> String {
        baseURL + (try AssetTicket(.upload, slot, for: caller, at: Date()).path(in: container, secret))
    }

    func downloadURL(of asset: StoredAsset, in slot: AssetSlot, caller: Caller) -> String? {
        let ticket = AssetTicket(.download, slot, asset: asset, for: caller, at: Date())
        // Clients put a file name of their choice there.
        return (try? ticket.path(in: container, secret)).map { "\(baseURL)\($0)/${f}" }
    }

    func users(_ lookups: [UserLookup]?, for caller: Caller) async throws -> [UserIdentity?] {
        guard let lookups else { return [] }
        if let directory { return try await directory.users(lookups, in: container) }
        return lookups.map { lookup in
            guard case .userRecordName(let name) = lookup, name == caller.account?.userRecordName else { return nil }
            return UserIdentity(userRecordName: name)
        }
    }

    func createToken(environment: String, clientID: String?, for caller: Caller) async throws -> CourierToken {
        guard let couriers else { throw Self.noCourier }
        return try await couriers.add(for: caller)
    }

    func registerToken(_ token: String, environment: String, clientID: String?, for caller: Caller) async throws {
        // A token of this server needs no registration, and Apple's devices cannot be reached.
        guard try await couriers?.has(token, of: caller) == true else { throw Self.noCourier }
    }

    private static let noCourier = CabinetError(
        .serverRejectedRequest,
        "This server has no notifications for the token. Create one: tokens/create.")
}
