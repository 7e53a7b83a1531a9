import Cabinet
import Foundation

#if !canImport(Darwin)
@testable import CabinetCloudKit
import CabinetICloud
#endif

/// The kinds of servers that a mirror has in the tests.
enum RemoteKind: String, CaseIterable, Sendable {
    /// A server of Cabinet.
    case cabinet
    /// iCloud, by the classes of CloudKit, with a store of Cabinet in place of Apple's service.
    case iCloud

    #if canImport(Darwin)
    /// Apple's CloudKit has no store of Cabinet behind it.
    static let allCases: [RemoteKind] = [.cabinet]

    static func iCloudService(
        over container: Container, notifies: Bool = true, pollInterval: Duration = .seconds(60)
    ) throws -> any DatabaseService {
        throw CabinetError(.badContainer, "There is no iCloud in the tests.")
    }
    #else
    /// Returns the service of a device that is signed in to the iCloud of a container, which refuses what CloudKit refuses.
    ///
    /// - Parameters:
    ///   - container: The container.
    ///   - notifies: Whether the device receives notifications; otherwise, the service does nothing by itself.
    ///   - pollInterval: The time after which the device asks without a notification.
    static func iCloudService(
        over container: Container, notifies: Bool = true, pollInterval: Duration = .seconds(60)
    ) throws -> any DatabaseService {
        let cloud = cloud(over: container)
        var configuration = ICloudConfiguration()
        configuration.pollInterval = pollInterval
        // Without notifications, a simulation decides when requests are repeated.
        if !notifies { configuration.retryTimeLimit = .zero }
        let service = ICloudDatabaseService(cloud, configuration: configuration)
        guard notifies else { return service }
        // The system passes notifications to a program, which passes them on.
        Task { [weak service] in
            for try await notification in CabinetCloudKit.notifications(of: cloud) {
                guard let service else { return }
                service.didReceive(notification)
            }
        }
        return service
    }

    /// Returns CloudKit's container over one of Cabinet.
    static func cloud(over container: Container) -> CKContainer {
        let options = CabinetCloudKit.Options(limits: .default, refusesWhatCloudKitRefuses: true)
        return CKContainer(
            identifier: container.containerIdentifier, registry: ContainerRegistry(container, options))
    }
    #endif
}
