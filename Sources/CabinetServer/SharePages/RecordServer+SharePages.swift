import Cabinet
import CabinetWire
import Foundation

/// The pages to which the URLs of shares lead in a browser: `/share/SHORT-GUID`.
///
/// Before the sign-in, the page is the same for a share that does not exist as for one that some users alone may open.
extension RecordServer {
    /// The largest number of bytes of the page's form.
    private static let shareFormSize = 4_096
    private static let shortGUIDCharacters = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    /// A visitor of the page: the user and the token by which the next request proves it.
    private struct Visitor {
        let user: Account
        let token: String
        let container: SharedContainer
    }

    func shareResponse(to exchange: ServerExchange, _ target: RequestTarget) async -> HTTPResponse {
        exchange.set(name: "share")
        var response: HTTPResponse
        do {
            if target.path == ["share", "page.css"] {
                response = try HTTPResponse(contentType: "text/css", body: HTTPBody(HTMLPage.style))
            } else {
                response = try await sharePage(exchange, target)
            }
        } catch {
            response = textResponse(reporting: error, exchange)
        }
        response.addPageFields()
        return response
    }

    private func sharePage(_ exchange: ServerExchange, _ target: RequestTarget) async throws -> HTTPResponse {
        guard target.path.count == 2, !configuration.sharedContainers.isEmpty else {
            throw HTTPError(.notFound, "Nothing has this path.")
        }
        try countAddress(of: exchange)
        let shortGUID = target.path[1]
        switch exchange.request.method {
        case .get, .head:
            return try response(await visitorPage(of: shortGUID, exchange, failure: nil), .ok)
        case .post: break
        default: throw HTTPError.methodNotAllowed(.get, .head, .post)
        }
        let form = try HTTPForm(try await exchange.request.body.collect(upTo: Self.shareFormSize))
        do {
            let visitor = try await visitor(form["token"], shortGUID, exchange)
            return try response(await userPage(of: shortGUID, visitor, joins: !form["join"].isEmpty), .ok)
        } catch let error as AuthenticationError {
            return try response(await visitorPage(of: shortGUID, exchange, failure: error.message), .forbidden)
        } catch let error as CabinetError
            where [.permissionFailure, .tooManyParticipants].contains(error.code)
        {
            countGuess(of: exchange)
            return try response(await visitorPage(of: shortGUID, exchange, failure: error.message), .forbidden)
        }
    }

    private func response(_ page: SharePage, _ status: HTTPResponse.Status) throws -> HTTPResponse {
        try HTTPResponse(
            status, contentType: "text/html; charset=utf-8",
            body: HTTPBody(page.page.html(stylesheet: "/share/page.css").text))
    }

    /// Returns the page before the sign-in, which shows only what everyone may open.
    private func visitorPage(
        of shortGUID: String, _ exchange: ServerExchange, failure: String?
    ) async throws -> SharePage {
        // A user that does not exist may open public shares alone.
        let visitor = Account(userRecordName: "_visitor-\(UUID().uuidString)")
        for shared in configuration.sharedContainers {
            guard let metadata = try await metadata(of: shortGUID, in: shared.container, for: visitor) else { continue }
            return SharePage(
                share: try await description(of: metadata, in: shared.container), state: .unknown(failure: failure),
                programURLs: programURLs([shared], shortGUID))
        }
        countGuess(of: exchange)
        return SharePage(
            state: .unknown(failure: failure), programURLs: programURLs(configuration.sharedContainers, shortGUID))
    }

    /// Returns the page of a user, who may join.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/permissionFailure`` if the user may not open the share.
    private func userPage(of shortGUID: String, _ visitor: Visitor, joins: Bool) async throws -> SharePage {
        let container = visitor.container.container
        if joins, let service = services(container) {
            let caller = Caller(account: visitor.user, deviceID: "web")
            let request = AcceptSharesRequest(shortGUIDs: [shortGUID])
            let results = try await withDeadline { try await service.perform(request, for: caller).results }
            if case .failure(let error)? = results.first { throw error }
        }
        guard let metadata = try await metadata(of: shortGUID, in: container, for: visitor.user) else {
            throw Self.unknownShare
        }
        let state: SharePage.State =
            switch (metadata.participantRole, metadata.participantStatus) {
            case (.owner, _): .owner
            case (_, .accepted): .joined
            default: .invited(token: visitor.token)
            }
        return SharePage(
            share: try await description(of: metadata, in: container), state: state,
            programURLs: programURLs([visitor.container], shortGUID))
    }

    /// Finds a container that knows a token, and in which the user of the token may open the share.
    ///
    /// - Throws: ``AuthenticationError`` if no container knows the token, and ``/Cabinet/CabinetError/Code/permissionFailure`` if its
    ///   user may open the share in none.
    private func visitor(_ token: String, _ shortGUID: String, _ exchange: ServerExchange) async throws -> Visitor {
        var failure = AuthenticationError.failed("The token is not valid.")
        var isUser = false
        for shared in configuration.sharedContainers {
            var request = exchange.request
            guard let field = try? HTTPField(name: .authorization, value: "Bearer \(token)") else { break }
            request.headerFields = HTTPFields()
            request.headerFields.append(field)
            do {
                let found = try await authenticator.authenticate(request, body: Data(), in: shared.container)
                guard let user = found.account, !found.isServer else { continue }
                isUser = true
                if try await metadata(of: shortGUID, in: shared.container, for: user) == nil { continue }
                // The form has another token than the one that the user keeps.
                let next = try? await configuration.signIn?.webToken(for: token, isKept: false, in: shared.container)
                return Visitor(user: user, token: next ?? token, container: shared)
            } catch let error as AuthenticationError {
                failure = error
            }
        }
        countGuess(of: exchange)
        if isUser { throw Self.unknownShare }
        throw failure
    }

    private static let unknownShare = CabinetError(
        .permissionFailure,
        "No share that this user may open has this address. It may have been deleted, or be meant for another user.")

    /// Returns what a user may learn of a share; `nil` if the user may not open it.
    private func metadata(
        of shortGUID: String, in container: WireContainer, for user: Account
    ) async throws -> Share.Metadata? {
        guard let service = services(container) else { return nil }
        let caller = Caller(account: user, deviceID: "web")
        let request = FetchShareMetadataRequest(shortGUIDs: [shortGUID])
        let response = try await withDeadline { try await service.perform(request, for: caller) }
        switch response.metadata(in: container.identifier).first {
        case .success(let metadata)?: return metadata
        case .failure(let error)? where error.code != .permissionFailure: throw error
        default: return nil
        }
    }

    private func description(
        of metadata: Share.Metadata, in container: WireContainer
    ) async throws -> (title: String?, owner: String, permission: Share.ParticipantPermission) {
        let name = metadata.share.owner?.userRecordName ?? metadata.ownerUserRecordName
        let users = try await configuration.directory?.users([.userRecordName(name)], in: container) ?? []
        let names = users.first.flatMap(\.self).map { [$0.givenName, $0.familyName].compactMap(\.self) } ?? []
        let title: String? = metadata.share[Share.SystemFieldKey.title]
        return (title, names.isEmpty ? name : names.joined(separator: " "), metadata.participantPermission)
    }

    private func programURLs(_ containers: [SharedContainer], _ shortGUID: String) -> [String] {
        let text = shortGUID.addingPercentEncoding(withAllowedCharacters: Self.shortGUIDCharacters)
        return containers.compactMap { $0.programURL(for: text ?? "") }
    }
}
