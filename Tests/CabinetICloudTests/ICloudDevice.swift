import Cabinet
import CabinetTesting
import Foundation
import Synchronization

@testable import CabinetCloudKit
@testable import CabinetICloud

/// A device: Cabinet, `CabinetICloud`, CloudKit's classes and, behind these, the container of a rule.
struct ICloudDevice: WrappingService {
    let service: ICloudDatabaseService
    let original: Container
    let log: GapLog

    var base: any DatabaseService { service }

    /// Puts iCloud's service between a container and its engine.
    ///
    /// - Parameter isStrict: Whether the classes refuse what CloudKit refuses, as they do for programs.
    static func adapt(_ container: Container, isStrict: Bool, log: GapLog) throws -> Container {
        let options = CabinetCloudKit.Options(limits: .default, refusesWhatCloudKitRefuses: isStrict)
        let cloud = CKContainer(
            identifier: container.containerIdentifier, registry: ContainerRegistry(container, options))
        let service = ICloudDatabaseService(cloud)
        // The system passes notifications to a program, which passes them on.
        Task { [weak service] in
            for try await notification in CabinetCloudKit.notifications(of: cloud) {
                guard let service else { return }
                service.didReceive(notification)
            }
        }
        return container.over(ICloudDevice(service: service, original: container, log: log))
    }

    func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        log.recordRequest()
        do {
            let response = try await service.perform(request, for: caller)
            log.record(itemsOf: response)
            return response
        } catch {
            log.record(error)
            throw error
        }
    }

    func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        log.recordRequest()
        return try service.signals(of: scopes, for: caller)
    }

    func close() async {
        await service.close()
        await original.close()
    }
}

/// The parts of Cabinet that CloudKit has refused in a rule.
final class GapLog: Sendable {
    private let state = Mutex((requests: 0, gaps: [CloudKitGap](), isRefusedByClasses: false))

    var requests: Int { state.withLock { $0.requests } }
    var gaps: [CloudKitGap] { state.withLock { $0.gaps } }

    /// Whether CloudKit's classes have refused what CloudKit refuses.
    var isRefusedByClasses: Bool { state.withLock { $0.isRefusedByClasses } }

    func recordRequest() { state.withLock { $0.requests += 1 } }

    func record(_ error: any Error) {
        guard let error = error as? CabinetError else { return }
        if let gap = CloudKitGap.allCases.first(where: { error.message.hasPrefix($0.rawValue) }) {
            state.withLock { $0.gaps.append(gap) }
        }
        // An error of the engine is the cause of one of CloudKit, and a refusal of the classes has no cause.
        if error.underlyingError is CKError { state.withLock { $0.isRefusedByClasses = true } }
        for item in error.partialErrorsByItemID.values { record(item) }
    }

    func record(itemsOf response: some Sendable) {
        switch response {
        case let response as ModifyRecordsRequest.Response:
            for case .failure(let error) in response.saveResults { record(error) }
        case let response as ModifyZonesRequest.Response:
            for case .failure(let error) in response.saveResults { record(error) }
        case let response as ModifySubscriptionsRequest.Response:
            for case .failure(let error) in response.saveResults { record(error) }
        default: break
        }
    }
}
