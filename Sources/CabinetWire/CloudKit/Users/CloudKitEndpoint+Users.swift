import Cabinet

extension CloudKitEndpoint {
    /// Answers the operations about users.
    func users(_ operation: CloudKitOperation, _ root: JSONNode) async throws -> CloudKitResponse {
        let isOwn = operation == .usersCaller || operation == .usersCurrent
        guard scope == .public || isOwn else {
            throw CabinetError(
                .invalidArguments, "endpoint not applicable in the database type '\(scope.segment)db'")
        }
        guard let name = caller.account?.userRecordName else {
            throw CabinetError(.notAuthenticated, "'\(operation.rawValue)' needs a user.")
        }
        if isOwn {
            let user = try await host.users([.userRecordName(name)], for: caller).first ?? nil
            return try response(operation, [user ?? UserIdentity(userRecordName: name)].map { ($0, nil) })
        }
        let lookups = try lookups(operation, root)
        let found = try await host.users(lookups, for: caller)
        let asked = lookups?.map(Optional.some) ?? found.map { _ in nil }
        return try response(operation, zip(found, asked).map { ($0, $1) })
    }

    /// Reads the lookups of a request; `nil` for all contacts.
    private func lookups(_ operation: CloudKitOperation, _ root: JSONNode) throws(CabinetError) -> [UserLookup]? {
        switch operation {
        case .usersLookupEmail, .usersLookupID:
            return try Self.items(root, "users").map { item throws(CabinetError) in
                operation == .usersLookupEmail
                    ? .emailAddress(try item.required("emailAddress").string())
                    : .userRecordName(try item.required("userRecordName").string())
            }
        case .usersDiscover where root["lookupInfos"] != nil:
            return try Self.items(root, "lookupInfos").map { item throws(CabinetError) in
                if let address = item["emailAddress"] { return .emailAddress(try address.string()) }
                if let number = item["phoneNumber"] { return .phoneNumber(try number.string()) }
                return .userRecordName(try item.required("userRecordName").string())
            }
        default: return nil
        }
    }

    private func response(
        _ operation: CloudKitOperation, _ users: [(user: UserIdentity?, lookup: UserLookup?)]
    ) throws -> CloudKitResponse {
        try CloudKitResponse { writer throws(CabinetError) in
            if let nextWebToken { writer.member("ckWebAuthToken", nextWebToken) }
            switch operation {
            case .usersCurrent:
                if let user = users.first?.user { writer.plainMembers(of: user) }
            case .usersLookupEmail, .usersLookupID:
                try writer.member("users", users) { writer, item throws(CabinetError) in
                    try writer.object { writer in
                        if let user = item.user { return writer.plainMembers(of: user) }
                        if case .userRecordName(let name)? = item.lookup { writer.member("userRecordName", name) }
                        if case .emailAddress(let address)? = item.lookup { writer.member("emailAddress", address) }
                        CloudKitFailure(error: CabinetError(.unknownItem, "User not found.")).writeMembers(to: &writer)
                    }
                }
            default:
                try writer.member("users", users.compactMap(\.user)) { writer, user throws(CabinetError) in
                    try writer.object { writer throws(CabinetError) in try writer.identity(user) }
                }
            }
        }
    }
}

extension JSONWriter {
    /// Writes the members of a user in the older form.
    fileprivate mutating func plainMembers(of user: UserIdentity) {
        member("userRecordName", user.userRecordName)
        if let name = user.givenName { member("firstName", name) }
        if let name = user.familyName { member("lastName", name) }
        if let address = user.emailAddress { member("emailAddress", address) }
    }

    /// Writes the members of a user's identity.
    fileprivate mutating func identity(_ user: UserIdentity) throws(CabinetError) {
        member("userRecordName", user.userRecordName)
        if user.givenName != nil || user.familyName != nil {
            try member("nameComponents") { writer in
                if let name = user.givenName { writer.member("givenName", name) }
                if let name = user.familyName { writer.member("familyName", name) }
            }
        }
        try member("lookupInfo") { writer in
            writer.member("userRecordName", user.userRecordName)
            if let address = user.emailAddress { writer.member("emailAddress", address) }
        }
    }
}
