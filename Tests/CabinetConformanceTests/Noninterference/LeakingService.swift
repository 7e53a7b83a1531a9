import CabinetTesting

@testable import Cabinet
@testable import CabinetConformance

/// A fault of a service: it shows something of records that a user may not read.
enum Leak: CaseIterable {
    case nothing
    /// A count counts them.
    case count
    /// The text of an error names one.
    case errorText
    /// The position in the feed shows their number.
    case feedPosition
    /// A notification is missing if there are many.
    case notification
}

/// A service that lets a user find out about records that the user may not read.
struct LeakingService: WrappingService {
    let base: any DatabaseService
    let leak: Leak
    /// The database, as an editor sees it.
    let insider: Database

    /// Lets a container leak.
    static func adapt(_ container: Container, _ leak: Leak) throws -> Container {
        let account = Account(userRecordName: "_insider", roles: ["Editor"])
        let insider = try Container(
            identifier: container.containerIdentifier, backend: container.backend, account: account)
        return container.over(
            LeakingService(base: container.service, leak: leak, insider: insider.publicDatabase))
    }

    private var hidden: [String] {
        get async throws {
            try await insider.allRecords(matching: Query(recordType: "Secrets")).map(\.recordID.recordName)
        }
    }

    func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        let response = try await base.perform(request, for: caller)
        let hidden = leak == .nothing ? [] : try await hidden
        switch (leak, response) {
        case (.errorText, var response as FetchRecordsRequest.Response):
            guard let name = hidden.last else { break }
            response.results = response.results.map { result in
                result.mapError { CabinetError($0.code, "'\(name)' is in the way.", recordID: $0.recordID) }
            }
            return try answer(response)
        case (.count, var response as AggregateRequest.Response):
            guard case .int64(let count) = response.result else { break }
            response.groups[0].result = .int64(count + Int64(hidden.count))
            return try answer(response)
        case (.feedPosition, var response as FetchZoneChangesRequest.Response):
            if hidden.count > 12 { response.position.tombstoneHorizon += 1 }
            return try answer(response)
        case (.notification, var response as FetchNotificationsRequest.Response):
            if hidden.count > 12 { response.notifications = response.notifications.dropLast() }
            return try answer(response)
        default: break
        }
        return response

        func answer(_ changed: some ServiceValue) throws -> Request.Response {
            try require(changed as? Request.Response, "A response of the request's type")
        }
    }
}
