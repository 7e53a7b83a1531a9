/// An operation of CloudKit Web Services, by the last segments of its path.
public enum CloudKitOperation: String, Sendable, Hashable, CaseIterable {
    /// Saves and deletes records.
    case recordsModify = "records/modify"
    /// Returns a page of a query.
    case recordsQuery = "records/query"
    /// Fetches records by name.
    case recordsLookup = "records/lookup"
    /// Returns the changes in a zone; an older form of ``changesZone``.
    case recordsChanges = "records/changes"
    /// Finds what short GUIDs stand for.
    case recordsResolve = "records/resolve"
    /// Accepts shares.
    case recordsAccept = "records/accept"
    /// Accepts shares, by another path.
    case sharesAccept = "records/shares/accept"
    /// Returns the changes in zones.
    case changesZone = "changes/zone"
    /// Returns the changed zones.
    case changesDatabase = "changes/database"
    /// Returns all zones.
    case zonesList = "zones/list"
    /// Fetches zones.
    case zonesLookup = "zones/lookup"
    /// Creates and deletes zones.
    case zonesModify = "zones/modify"
    /// Returns the changed zones; an older form of ``changesDatabase``.
    case zonesChanges = "zones/changes"
    /// Returns all subscriptions.
    case subscriptionsList = "subscriptions/list"
    /// Fetches subscriptions.
    case subscriptionsLookup = "subscriptions/lookup"
    /// Creates, updates and deletes subscriptions.
    case subscriptionsModify = "subscriptions/modify"
    /// Returns URLs for the bytes of assets.
    case assetsUpload = "assets/upload"
    /// Returns values by which other records can have the same assets.
    case assetsRereference = "assets/rereference"
    /// Returns the user that calls.
    case usersCaller = "users/caller"
    /// Returns the user that calls; an older form of ``usersCaller``.
    case usersCurrent = "users/current"
    /// Finds users.
    case usersDiscover = "users/discover"
    /// Finds users by their e-mail addresses.
    case usersLookupEmail = "users/lookup/email"
    /// Finds users by their record names.
    case usersLookupID = "users/lookup/id"
    /// Finds the users among the caller's contacts.
    case usersLookupContacts = "users/lookup/contacts"
    /// Creates a token for notifications.
    case tokensCreate = "tokens/create"
    /// Registers a token for notifications.
    case tokensRegister = "tokens/register"

    /// The HTTP methods that the operation takes.
    public var methods: [String] {
        switch self {
        case .zonesList, .subscriptionsList, .usersCaller, .usersCurrent, .usersDiscover: ["GET", "POST"]
        case .usersLookupContacts: ["GET"]
        default: ["POST"]
        }
    }

    /// Whether the operation is about users, so that it is answered in the public database, and not for a server's key.
    public var isAboutUsers: Bool {
        switch self {
        case .recordsResolve, .recordsAccept, .sharesAccept: true
        default: rawValue.hasPrefix("users/")
        }
    }

    /// Whether the operation changes something, so that a repetition of its request is a replay.
    public var changes: Bool {
        switch self {
        case .recordsModify, .recordsAccept, .sharesAccept, .zonesModify, .subscriptionsModify, .assetsUpload,
            .assetsRereference, .tokensCreate, .tokensRegister:
            true
        default: false
        }
    }
}
