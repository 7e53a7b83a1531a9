/// The description by which a user is found: CloudKit's `CKUserIdentity.LookupInfo`.
public enum UserLookup: Sendable, Hashable {
    /// An e-mail address.
    case emailAddress(String)
    /// A phone number.
    case phoneNumber(String)
    /// The record name of the user.
    case userRecordName(String)
}

extension UserLookup {
    /// Returns whether two descriptions have the same scalars: addresses that differ in their normal form are two users'.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.emailAddress(let left), .emailAddress(let right)), (.phoneNumber(let left), .phoneNumber(let right)),
            (.userRecordName(let left), .userRecordName(let right)):
            left.hasSameScalars(as: right)
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .emailAddress(let text), .phoneNumber(let text), .userRecordName(let text):
            text.hashScalars(into: &hasher)
        }
    }
}

extension UserLookup: CodedObject {
    init() { self = .userRecordName("") }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        var (address, number, name): (String?, String?, String?)
        switch self {
        case .emailAddress(let text): address = text
        case .phoneNumber(let text): number = text
        case .userRecordName(let text): name = text
        }
        try coder.part("emailAddress", &address)
        try coder.part("phoneNumber", &number)
        try coder.part("userRecordName", &name)
        switch (address, number, name) {
        case (let text?, nil, nil): self = .emailAddress(text)
        case (nil, let text?, nil): self = .phoneNumber(text)
        case (nil, nil, let text?): self = .userRecordName(text)
        default:
            throw CabinetError(.invalidArguments, "A user is looked up by one of an address, a number and a name.")
        }
    }
}
