public import Cabinet

extension CloudKitRequestHandler {
    /// Finds users, by `users/lookup/email`, `users/lookup/id`, and `users/discover` for each phone number.
    public func response(to request: FindUsersRequest) async throws -> FindUsersRequest.Response {
        var response = FindUsersRequest.Response(userRecordNames: request.lookups.map { _ in nil })
        var (addresses, names): ([(Int, String)], [(Int, String)]) = ([], [])
        for (position, lookup) in request.lookups.enumerated() {
            switch lookup {
            case .emailAddress(let text): addresses.append((position, text))
            case .userRecordName(let text): names.append((position, text))
            case .phoneNumber(let text):
                response.userRecordNames[position] = try await discover(phoneNumber: text)
            }
        }
        for (operation, key, lookups) in [
            (CloudKitOperation.usersLookupEmail, "emailAddress", addresses),
            (.usersLookupID, "userRecordName", names),
        ] as [(CloudKitOperation, StaticString, [(Int, String)])] where !lookups.isEmpty {
            let root = try await send(operation, to: .public, items: "users") { writer throws(CabinetError) in
                try writer.member("users", lookups) { writer, lookup throws(CabinetError) in
                    try writer.object { writer in writer.member(key, lookup.1) }
                }
            }
            let users = try root.required("users").array { user throws(CabinetError) in try user.object() }
            guard users.count == lookups.count else {
                throw CabinetError(
                    .internalError, "The server answered \(users.count) users for \(lookups.count) look-ups.")
            }
            for (user, (position, _)) in zip(users, lookups) where user["serverErrorCode"] == nil {
                response.userRecordNames[position] = try user.required("userRecordName").string()
            }
        }
        return response
    }

    private func discover(phoneNumber: String) async throws -> String? {
        let root = try await send(.usersDiscover, to: .public, items: "users") { writer throws(CabinetError) in
            try writer.member("lookupInfos", [phoneNumber]) { writer, number throws(CabinetError) in
                try writer.object { writer in writer.member("phoneNumber", number) }
            }
        }
        return try root.required("users").elements.first { _ in true }?.required("userRecordName").string()
    }
}
