import Cabinet
public import Foundation

extension AccountStore {
    /// The seconds for which a sign-in is valid: two weeks.
    public static let sessionTime: TimeInterval = 14 * 86_400
    /// The seconds for which a sign-in in a browser is valid without a request, unless it is kept: half an hour.
    public static let shortSessionTime: TimeInterval = 1_800
    /// The number of sign-ins among which a new one removes those that have expired.
    private static let checkedSessions = 100
    /// The seconds for which a web token is valid after its successor was used.
    static let overlap: TimeInterval = 60

    /// Returns a new token of a user, and removes some of those that have expired.
    ///
    /// Used as a bearer token, it is valid for the whole time. Used as a web token, `ckWebAuthToken`, it is replaced by others, each of
    /// which is valid for that time. So a program of Cabinet and one of CloudKit need a sign-in each.
    ///
    /// - Parameters:
    ///   - name: The user.
    ///   - life: The seconds for which the token is valid.
    /// - Returns: The token, which is not stored, and cannot be shown again.
    /// - Throws: ``/Cabinet/CabinetError/Code/unknownItem`` if there is no such user, and the errors of the store.
    public func signIn(_ name: String, for life: TimeInterval = AccountStore.sessionTime) async throws -> String {
        try await signIn(name, for: life, family: nil, limit: nil)
    }

    /// Returns a new token of a user: one of a sign-in, or of a new one.
    ///
    /// - Parameters:
    ///   - family: The hash of the sign-in's first token.
    ///   - limit: The date after which no token of the sign-in is valid.
    func signIn(_ name: String, for life: TimeInterval, family: String?, limit: Date?) async throws -> String {
        let token = TokenHash.newToken()
        let now = now()
        let session = Session(
            user: name, expiration: min(now + life, limit ?? .distantFuture), date: now, family: family, limit: limit)
        try await backend.write(Self.database) { transaction in
            _ = try await Self.user(name, in: transaction)
            let key = Session.key(TokenHash(of: token).text)
            let expired = try await transaction.entries(
                of: StorageKey.all("account", "session"), from: key, limit: Self.checkedSessions
            ).filter { (try StorageEntry.value($0.text) as Session).expiration <= now }
                .map { StorageMutation.setEntry($0.key, nil) }
            try await transaction.apply(expired + [.setEntry(key, try StorageEntry.text(session))])
        }
        return token
    }

    /// Ends all sign-ins of a user, and the URLs of the user's notifications.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/unknownItem`` if there is no such user, and the errors of the store.
    public func signOut(_ name: String) async throws {
        try await backend.write(Self.database) { transaction in
            let user = try await Self.user(name, in: transaction)
            let sessions = try await transaction.sessions { $0.user == name }
            let couriers = try await transaction.couriers()
                .filter { $0.courier.value.userRecordName == user.userRecordName }
            try await transaction.apply(sessions + couriers.map { .setEntry($0.key, nil) })
        }
        forget()
    }

    /// Returns the user of a token, and of a web token the next one.
    ///
    /// A web token stands in URLs, so it is replaced by another after some minutes: every response has the one for the next request. Clients
    /// send several requests with the same token, ignore the new one, or lose a response. So a token stays valid until its successor is used,
    /// and for a minute from then on. Afterwards it must have been stolen, before or after it was replaced, and the whole sign-in ends. As a
    /// bearer token it is only refused then.
    func authenticate(_ token: String, isWebToken: Bool) async throws -> Authentication {
        let (hash, now) = (TokenHash(of: token), now())
        if var found = known.authentication(of: hash, at: now) {
            if !isWebToken { found.nextWebToken = nil }
            if !isWebToken || found.nextWebToken != nil { return found }
        }
        let generation = known.generation
        let (session, user) = try await backend.read(Self.database) { snapshot in
            guard let session: Session = try await snapshot.value(Session.key(hash.text)) else {
                return (Session?.none, User?.none)
            }
            return (session, try await snapshot.value(User.key(session.user)))
        }
        guard let session, let user, !user.isDisabled else {
            // The client of a web token has its user sign in again.
            let reason = "The token is not valid."
            throw isWebToken ? AuthenticationError.expired(reason) : AuthenticationError.failed(reason)
        }
        if let end = session.end, end <= now {
            if isWebToken { try await endSession(session, hash) }
            throw AuthenticationError.expired("The token was replaced, and used again. Sign in again.")
        }
        guard session.expiration > now else {
            throw AuthenticationError.expired("The sign-in has expired. Sign in again.")
        }
        if session.isUnused { try await replacePredecessor(of: hash, at: now) }
        var authentication = Authentication(Account(userRecordName: user.userRecordName, roles: Set(user.roles)))
        if isWebToken { authentication.nextWebToken = try await nextToken(after: token, session, at: now) }
        let end = min(now + Self.memory, session.expiration, session.end ?? session.expiration)
        known.remember(authentication, of: hash, until: end, generation)
        return authentication
    }

    /// Returns the token for the next request: the same, until it is some minutes old.
    ///
    /// Every request gets the same successor, because it is computed from the token and the secret of the servers.
    private func nextToken(after token: String, _ session: Session, at now: Date) async throws -> String {
        guard now.timeIntervalSince(session.date) >= session.rotationTime || session.next != nil else { return token }
        let next = try await secret().token(after: token)
        guard session.next == nil else { return next }
        let (hash, nextHash) = (TokenHash(of: token).text, TokenHash(of: next).text)
        try await backend.write(Self.database) { transaction in
            guard var old: Session = try await transaction.value(Session.key(hash)), old.next == nil else { return }
            old.next = nextHash
            let new = Session(
                user: old.user, expiration: min(now + old.life, old.limit ?? .distantFuture), date: now,
                family: old.family ?? hash, limit: old.limit,
                earlier: (old.earlier + [hash]).suffix(Session.maximumEarlierCount), isUnused: true)
            var mutations: [StorageMutation] = [
                .setEntry(Session.key(hash), try StorageEntry.text(old)),
                .setEntry(Session.key(nextHash), try StorageEntry.text(new)),
            ]
            if old.earlier.count == Session.maximumEarlierCount {
                mutations.append(.setEntry(Session.key(old.earlier[0]), nil))
            }
            try await transaction.apply(mutations)
        }
        return next
    }

    /// Ends the token before one that is used for the first time.
    private func replacePredecessor(of hash: TokenHash, at now: Date) async throws {
        try await backend.write(Self.database) { transaction in
            guard var session: Session = try await transaction.value(Session.key(hash.text)), session.isUnused,
                let name = session.earlier.last
            else { return }
            var mutations: [StorageMutation] = []
            if var earlier: Session = try await transaction.value(Session.key(name)) {
                earlier.end = now + Self.overlap
                mutations.append(.setEntry(Session.key(name), try StorageEntry.text(earlier)))
            }
            session.isUnused = false
            mutations.append(.setEntry(Session.key(hash.text), try StorageEntry.text(session)))
            try await transaction.apply(mutations)
        }
    }

    /// Removes all tokens of a sign-in.
    private func endSession(_ session: Session, _ hash: TokenHash) async throws {
        let family = session.family ?? hash.text
        try await backend.write(Self.database) { transaction in
            let tokens = try await transaction.sessions { $0.family == family }
            try await transaction.apply(tokens + [.setEntry(Session.key(family), nil)])
        }
        forget()
    }
}

extension StorageSnapshot {
    /// Returns some entries in the order of their keys, from a key on, and then from the beginning.
    ///
    /// The keys begin with hashes, so in time each entry is among those of a new one, however many there are.
    func entries(of all: Range<StorageKey>, from key: StorageKey, limit: Int) async throws -> [StorageEntry] {
        let found = try await entries(in: key..<all.upperBound, limit: limit)
        if found.count == limit { return found }
        return found + (try await entries(in: all.lowerBound..<key, limit: limit - found.count))
    }

    /// Returns the mutations that remove some sessions.
    fileprivate func sessions(_ isRemoved: (Session) -> Bool) async throws -> [StorageMutation] {
        let entries = try await entries(in: StorageKey.all("account", "session"), limit: .max)
        return try entries.filter { isRemoved(try StorageEntry.value($0.text)) }.map { .setEntry($0.key, nil) }
    }
}
