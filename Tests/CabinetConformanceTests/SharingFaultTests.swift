import CabinetTesting
import Testing

@testable import Cabinet
@testable import CabinetConformance

/// A fault of the core's sharing, which no backend can have.
enum SharingFault {
    /// Requests of participants are performed as the owner's, with the owner's rights.
    case actsAsOwner
    /// Records of shared zones are returned with the IDs that the owner's database has.
    case losesOwners
    /// A participant that deletes the share deletes it for all.
    case leavesForAll
    /// The URL of no share has another answer than that of another user's share.
    case tellsUnknownURLs
    /// Each fetch of the shared database's changes begins without a token.
    case forgetsTokens
    /// Zones that vanish from the shared database are not reported.
    case hidesLosses
    /// The fingerprint of an acceptance is that of every acceptance.
    case forgetsAcceptances
    /// Participants that open a public share see each other.
    case admitsNobody
    /// Changes of the owners' databases are not signalled.
    case missesSignals
    /// No user is found by the own record name.
    case findsNobody
    /// Root records are described with all fields, also without a request for them.
    case describesRoots
    /// Requests for access seem to reach the owners of all shares, and reach none.
    case forgetsAccessRequests
    /// A share whose root is not in the batch, or is in none, seems to be saved.
    case savesEachShare
    /// A list of participants that was not fetched is replaced.
    case replacesUnknownLists
    /// A batch without records is of no zone.
    case forgetsZones
    /// A batch in zones of several owners is performed again after a part of it was committed.
    case repeatsCommittedParts
    /// Notifications are taken for known ones.
    case losesNotifications
}

private struct FaultySharing: WrappingService {
    let base: any DatabaseService
    let fault: SharingFault

    func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        let response = try await answer(request, for: caller)
        return try require(response as? Request.Response, "A response to the request")
    }

    private func answer(_ request: any ServiceRequest, for caller: Caller) async throws -> any ServiceValue {
        switch (fault, request) {
        case (.actsAsOwner, let request as FetchRecordsRequest) where request.scope == .shared:
            guard let route = route(request.recordIDs.first?.zoneID) else { break }
            var own = OwnerRule(user: route.owner).canonical(request)
            own.scope = .private
            var response = try await base.perform(own, for: route.caller)
            var ids = CallerIDs(route)
            response.results = response.results.map { route.callerResult($0, for: "_anna", &ids) }
            return response
        case (.actsAsOwner, let request as ModifyRecordsRequest) where request.scope == .shared:
            let deleted = request.recordIDsToDelete
            let zoneID = (request.recordsToSave.map(\.recordID) + deleted).first?.zoneID ?? request.zoneID
            guard let route = route(zoneID) else { break }
            var own = request
            own.scope = .private
            own.recordIDsToDelete = deleted.map(OwnerRule(user: route.owner).canonical)
            for index in own.recordsToSave.indices {
                own.recordsToSave[index].mapRecordIDs(
                    includingStored: true, OwnerRule(user: route.owner).canonical)
            }
            var response = try await base.perform(own, for: route.caller)
            var ids = CallerIDs(route)
            response.saveResults = response.saveResults.map { route.callerResult($0, for: "_anna", &ids) }
            return response
        case (.leavesForAll, let request as ModifyRecordsRequest) where request.scope == .shared && request.hasShares:
            guard request.recordsToSave.isEmpty, request.recordIDsToDelete.count == 1,
                let route = route(request.recordIDsToDelete.first?.zoneID)
            else { break }
            var own = request
            own.scope = .private
            own.recordIDsToDelete = own.recordIDsToDelete.map(OwnerRule(user: route.owner).canonical)
            return try await base.perform(own, for: route.caller)
        case (.forgetsTokens, var request as FetchDatabaseChangesRequest) where request.scope == .shared:
            request.since = nil
            return try await base.perform(request, for: caller)
        case (.forgetsAcceptances, var request as FetchZoneChangesRequest) where request.scope == .shared:
            var fresh = request
            fresh.since = nil
            request.since?.readAccess = try await base.perform(fresh, for: caller).position.readAccess
            return try await base.perform(request, for: caller)
        case (.actsAsOwner, let request as QueryRecordsRequest) where request.scope == .shared:
            guard let route = route(request.zoneID) else { break }
            var own = OwnerRule(user: route.owner).canonical(request)
            (own.scope, own.reads) = (.private, nil)
            var response = try await base.perform(own, for: route.caller)
            route.mapToCaller(&response.records, "_anna")
            return response
        case (.describesRoots, var request as FetchShareMetadataRequest):
            (request.shouldFetchRootRecord, request.rootRecordDesiredKeys) = (true, nil)
            return try await base.perform(request, for: caller)
        case (.forgetsAccessRequests, let request as RequestShareAccessRequest):
            return RequestShareAccessRequest.Response(errors: request.shortGUIDs.map { _ in nil })
        case (.savesEachShare, let request as ModifyRecordsRequest) where request.hasShares:
            var response = try await base.perform(request, for: caller)
            for index in response.saveResults.indices {
                guard case .failure(let error) = response.saveResults[index], error.code == .invalidArguments else {
                    continue
                }
                response.saveResults[index] = .success(request.recordsToSave[index])
            }
            return response
        case (.replacesUnknownLists, var request as ModifyRecordsRequest) where request.hasShares:
            for index in request.recordsToSave.indices { request.recordsToSave[index].mutate { $0.misfits = [:] } }
            return try await base.perform(request, for: caller)
        case (.forgetsZones, var request as ModifyRecordsRequest):
            request.zoneID = nil
            return try await base.perform(request, for: caller)
        case (.repeatsCommittedParts, let request as ModifyRecordsRequest)
        where Set(request.recordsToSave.map(\.recordID.zoneID.ownerName)).count > 1:
            _ = try await base.perform(request, for: caller)
        default: break
        }
        return changing(try await base.perform(request, for: caller))
    }

    private func changing(_ response: any ServiceValue) -> any ServiceValue {
        switch (fault, response) {
        case (.losesOwners, var response as QueryRecordsRequest.Response):
            for index in response.records.indices {
                response.records[index].mapRecordIDs(includingStored: true, OwnerRule(user: "_anna").canonical)
            }
            return response
        case (.hidesLosses, var response as FetchDatabaseChangesRequest.Response):
            response.deletions = []
            return response
        case (.tellsUnknownURLs, var response as FetchShareMetadataRequest.Response):
            for index in response.results.indices {
                guard case .failure(var error) = response.results[index] else { continue }
                error.message += " It is number \(index)."
                response.results[index] = .failure(error)
            }
            return response
        case (.findsNobody, var response as FindUsersRequest.Response):
            response.userRecordNames = response.userRecordNames.map { _ in nil }
            return response
        case (.admitsNobody, var response as AcceptSharesRequest.Response):
            response.results = response.results.map { _ in .failure(ShareRule.unknown) }
            return response
        case (.losesNotifications, var response as FetchNotificationsRequest.Response):
            response.notifications = []
            return response
        default: return response
        }
    }

    func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        guard fault == .missesSignals, scopes.contains(.shared) else {
            return try base.signals(of: scopes, for: caller)
        }
        // One signal, as at the beginning of each stream.
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        continuation.yield()
        return stream
    }

    private func route(_ zoneID: RecordZone.ID?) -> ZoneRoute? {
        zoneID.flatMap { ZoneRoute(toShared: $0, for: "_nobody") }
    }
}

extension ZoneRoute {
    /// The owner, as the sender of a request.
    fileprivate var caller: Caller {
        Caller(account: owner.map { Account(userRecordName: $0) }, deviceID: "device")
    }
}

@Suite("Faults of sharing")
struct SharingFaultTests {
    @Test(
        "The rules find them",
        arguments: [
            (SharingFault.actsAsOwner, "a reader changes nothing"),
            (.findsNobody, "a user is found by the name of the user's record"),
            (.actsAsOwner, "nothing is seen before a share is accepted"),
            (.actsAsOwner, "what is outside of the shared zone does not exist for a participant"),
            (.actsAsOwner, "a writer's changes are seen by all, and are the writer's"),
            (.actsAsOwner, "a permission is in force as soon as the share is saved"),
            (.actsAsOwner, "administrators change the share, and other participants do not"),
            (.actsAsOwner, "a removed participant loses every way into the zone"),
            (.actsAsOwner, "the owner unshares a zone by deleting the share or the zone"),
            (.actsAsOwner, "a change of the public permission removes participants"),
            (.actsAsOwner, "unique values give no sign of records that are not shared"),
            (.actsAsOwner, "the service alone accepts for a participant"),
            (.actsAsOwner, "a public share admits every user that knows its URL"),
            (.actsAsOwner, "a share that a cascade deletes ends the access of its participants"),
            (.losesOwners, "a participant sees every record of the zone"),
            (.leavesForAll, "a participant leaves by deleting the share"),
            (.tellsUnknownURLs, "a share that a user may not open seems not to exist"),
            (.forgetsTokens, "the shared database reports zones that appear, change and vanish"),
            (.hidesLosses, "the shared database reports zones that appear, change and vanish"),
            (.forgetsAcceptances, "a token from before a participant left has expired"),
            (.admitsNobody, "metadata show the share and the user's part in it"),
            (.actsAsOwner, "a participant of a hierarchy sees the share, the root and what is below it"),
            (.actsAsOwner, "a record outside of a hierarchy does not exist for its participants"),
            (.actsAsOwner, "a participant saves below a shared record alone"),
            (.actsAsOwner, "a participant reads the assets of a hierarchy alone"),
            (.actsAsOwner, "a transaction of a participant reads and changes its hierarchy"),
            (.admitsNobody, "the first user that opens a one-time URL becomes its participant"),
            (.actsAsOwner, "a one-time URL is stable, belongs to one participant, and ends with it"),
            (.admitsNobody, "a one-time URL opens a hierarchy"),
            (.admitsNobody, "a participant stays the same after a user has opened its one-time URL"),
            (.forgetsAccessRequests, "a user asks for access, and joins after the owner has approved"),
            (.forgetsAccessRequests, "a share that allows no requests seems not to exist for users that ask"),
            (.forgetsAccessRequests, "a refused user may ask again, and a blocked one not before it is unblocked"),
            (.describesRoots, "metadata have the root record if it is asked for"),
            (.savesEachShare, "a new share is saved with its root"),
            (.forgetsAcceptances, "two shares of one zone are one zone with both hierarchies"),
            (.missesSignals, "a live query of a hierarchy follows what enters and leaves it"),
            (.missesSignals, "a live query of a shared zone follows every user's changes"),
            (.missesSignals, "a live aggregate of a shared zone counts its records alone"),
            (.replacesUnknownLists, "participants that were not fetched are not replaced"),
            (.forgetsZones, "a shared zone gives a token for its first fetch"),
            (.actsAsOwner, "a shared zone gives a token for its first fetch"),
            (.repeatsCommittedParts, "a batch in zones of two owners saves assets in both"),
            (
                .repeatsCommittedParts,
                "a batch in zones of two owners is sent once to databases that lack a deployed schema"
            ),
            (.losesNotifications, "an automatic sync engine misses no change while its delegate handles a fetch"),
        ])
    func isFound(_ fault: SharingFault, _ name: String) async throws {
        let rule = try #require(ConformanceRule.all.first { $0.name == name }, "There is no rule '\(name)'.")
        await #expect(throws: ConformanceFailure.self) {
            _ = try await rule.runIfApplicable(on: .inMemory { MemoryBackend() }, timeLimit: .seconds(5)) { container in
                container.over(FaultySharing(base: container.service, fault: fault))
            }
        }
    }
}
