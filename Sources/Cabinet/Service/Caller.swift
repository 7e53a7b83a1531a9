/// The user and device that a request acts for.
public struct Caller: Sendable, Hashable {
    /// The user and the user's roles, or `nil` for a caller without an account.
    public var account: Account?

    /// The device that makes the changes, for the notifications of the others.
    public var deviceID: String

    /// Creates a caller.
    ///
    /// - Parameters:
    ///   - account: The user and the user's roles, or `nil` for a caller without an account.
    ///   - deviceID: The device that makes the changes.
    public init(account: Account?, deviceID: String) {
        self.account = account
        self.deviceID = deviceID
    }

    /// The record name of the user.
    var userRecordName: String? { account?.userRecordName }
}
