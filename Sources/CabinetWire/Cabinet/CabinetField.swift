/// The names of the header fields that requests and responses of Cabinet's own dialect have beside those of HTTP.
public enum CabinetField {
    /// The identifier that distinguishes the client from others of the same user, as in ``/Cabinet/Caller/deviceID``.
    public static let device = "Cabinet-Device"
    /// The record name of the user that the client acts for, which a server compares with that of the credentials.
    public static let user = "Cabinet-User"
    /// The ID of a request, under which the log of a server has it; responses have it too.
    public static let requestID = "X-Request-ID"
}
