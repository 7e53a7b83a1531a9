extension Container {
    /// Looks up a user by an e-mail address, to add the user to a share.
    ///
    /// ```swift
    /// let ben = try await container.shareParticipant(
    ///     forEmailAddress: "ben@example.com")
    /// share.addParticipant(ben)
    /// ```
    ///
    /// - Parameter emailAddress: The address, as the server's list of users has it.
    /// - Returns: A participant that may read.
    /// - Throws: ``CabinetError/Code/unknownItem`` if no user is found, also if the container has no server, whose list of users it needs;
    ///   ``CabinetError/Code/notAuthenticated`` without an account.
    public func shareParticipant(forEmailAddress emailAddress: String) async throws -> Share.Participant {
        try await shareParticipant(for: .emailAddress(emailAddress))
    }

    /// Looks up a user by a phone number, to add the user to a share.
    ///
    /// - Parameter phoneNumber: The number, as the server's list of users has it.
    /// - Returns: A participant that may read.
    /// - Throws: The errors of ``shareParticipant(forEmailAddress:)``.
    public func shareParticipant(forPhoneNumber phoneNumber: String) async throws -> Share.Participant {
        try await shareParticipant(for: .phoneNumber(phoneNumber))
    }

    /// Looks up a user by the ID of the user's record, to add the user to a share.
    ///
    /// Without a server, nothing reveals whether the user exists.
    ///
    /// - Parameter userRecordID: The ID, as the other user's ``userRecordID()`` returns it.
    /// - Returns: A participant that may read.
    /// - Throws: The errors of ``shareParticipant(forEmailAddress:)``.
    public func shareParticipant(forUserRecordID userRecordID: RecordID) async throws -> Share.Participant {
        try await shareParticipant(for: .userRecordName(userRecordID.recordName))
    }

    private func shareParticipant(for lookup: UserLookup) async throws -> Share.Participant {
        guard let result = try await shareParticipants(for: [lookup])[lookup] else { throw Self.notFound }
        return try result.get()
    }

    /// Looks up several users, to add them to a share.
    ///
    /// - Parameter lookups: The descriptions, at most 200.
    /// - Returns: A participant that may read for each of them, or ``CabinetError/Code/unknownItem`` for one that is not found.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account, ``CabinetError/Code/limitExceeded`` for too many, and the
    ///   errors of the service.
    public func shareParticipants(
        for lookups: [UserLookup]
    ) async throws -> [UserLookup: Result<Share.Participant, CabinetError>] {
        let names = try await client.perform(FindUsersRequest(lookups: lookups)).userRecordNames
        let results = names.map { name -> Result<Share.Participant, CabinetError> in
            name.map { .success(Share.Participant(userRecordName: $0)) } ?? .failure(Self.notFound)
        }
        return try Dictionary(results, of: lookups)
    }

    private static let notFound = CabinetError(.unknownItem, "No user is found by that address.")
}
