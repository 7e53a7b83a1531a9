public import Cabinet
import Foundation

/// The choices of a program that mirrors a server.
public struct MirrorConfiguration: Sendable {
    /// The rule that merges an edit that was not sent with the version that another client has sent.
    ///
    /// The default merges field by field against the version that both are based on. Where both have changed a field, the server's
    /// value wins, because others may have seen it. If the server's version has no value, the edit wins: the field may have been renamed
    /// there, and then the server refuses the edit with the new name. A resolver that throws sets the edit aside with the error.
    public var resolver = ConflictResolver.serverUnlessRemoved

    /// The version that wins if one client has deleted a record that another one has edited.
    public var deletionConflict = DeletionConflict.editWins

    /// The records that the mirror keeps locally.
    public var selection = MirrorSelection()

    /// The bytes of assets that the mirror keeps locally.
    public var assets = MirrorAssets()

    /// The maximum number of records of a request to the server.
    ///
    /// The mirror sends fewer if the server takes fewer.
    public var batchSize = 200

    /// The maximum number of changes that are fetched, and applied in one transaction, at once.
    public var pageSize = 500

    /// The time after which a fetch asks the server for each local record of the public database.
    ///
    /// CloudKit does not report its deletions. A server that stores notifications does, so the mirror asks only if some were lost.
    public var publicCheckInterval: Duration = .seconds(3_600)

    /// The result of a store that has the records of another user.
    public var accountChange = AccountChange.keepsApart

    /// Whether the mirror fetches and sends by itself; otherwise, the program calls ``MirrorDatabaseService/fetchChanges()`` and
    /// ``MirrorDatabaseService/sendChanges()``.
    public var automaticallySyncs = true

    /// The time for which a process that sends and fetches keeps others from it if it is killed.
    ///
    /// The default is 20 seconds; at most a day counts.
    public var leaseDuration: Duration = .seconds(20)

    /// The moment at which a send reads its next request.
    package var readAhead = MirrorReadAhead.meanwhile

    /// Creates a configuration with the defaults.
    public init() {}

    /// The results of a store that has the records of another user or container.
    ///
    /// In no case are the records of one user sent as another one, or to another container.
    public enum AccountChange: Sendable, Hashable, CaseIterable {
        /// Each user has own copies in the store, whose changes wait until the user returns. The store of another container is refused with
        /// ``/Cabinet/CabinetError/Code/badContainer``.
        case keepsApart
        /// Fetches and sends throw ``/Cabinet/CabinetError/Code/badContainer``, which says whose records the store has.
        case fails
        /// The first fetch or send deletes the records of other users, or those of another container, with the changes that were not sent.
        case resets
    }

    /// The versions of a record that can win, one of which is its deletion.
    public enum DeletionConflict: Sendable, Hashable, CaseIterable {
        /// The edit wins: a record that another client has deleted is created again with the local content, and a local deletion is
        /// dropped if another client has edited the record.
        case editWins
        /// The deletion wins: a local edit is dropped if another client has deleted the record, and a local deletion is sent again.
        ///
        /// A record that the program has deleted too, and saved again, is a new one, and stays.
        case deletionWins
    }
}
