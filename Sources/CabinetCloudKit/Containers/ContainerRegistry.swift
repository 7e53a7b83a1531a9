import Cabinet
import Foundation
import Synchronization

/// The process's containers, by identifier, and the setting from which they are opened.
final class ContainerRegistry: Sendable {
    typealias Factory = @Sendable (_ identifier: String, CabinetCloudKit.Options) throws -> Container

    /// A container that was opened, with the options of that time.
    struct Opened: Sendable {
        let container: Container
        let options: CabinetCloudKit.Options
    }

    private struct State: Sendable {
        var options = CabinetCloudKit.Options()
        var factory: Factory?
        var containers: [String: OpenOnce<Opened>] = [:]
    }

    static let shared = ContainerRegistry()

    private let state: Mutex<State>

    init() { state = Mutex(State()) }

    /// Creates a registry with an open container.
    init(_ container: Container, _ options: CabinetCloudKit.Options) {
        let opened = OpenOnce(Opened(container: container, options: options))
        state = Mutex(State(options: options, containers: [container.containerIdentifier: opened]))
    }

    /// Opens all containers from now on as the arguments say, also those that were used before.
    func configure(_ options: CabinetCloudKit.Options, _ factory: @escaping Factory) {
        state.withLock { $0 = State(options: options, factory: factory) }
    }

    /// Returns the container with an identifier, and opens it if it is used for the first time.
    func open(_ identifier: String) throws -> Opened {
        let (entry, factory, options) = state.withLock { state in
            let factory = state.factory ?? StoreSetting.process.makeBackend
            state.factory = factory
            let entry = state.containers[identifier] ?? OpenOnce()
            state.containers[identifier] = entry
            return (entry, factory, state.options)
        }
        return try entry.value {
            let container = try factory(identifier, options).encrypting(with: options.encryption)
            return Opened(container: container, options: options)
        }
    }
}

extension Container {
    /// Creates a container over a store.
    init(_ identifier: String, over backend: any StorageBackend, _ options: CabinetCloudKit.Options) throws {
        try self.init(
            identifier: identifier, backend: backend, account: options.account, schema: options.schema,
            limits: options.limits, deviceID: options.deviceID, now: options.now)
    }
}
