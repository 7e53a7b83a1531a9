import Cabinet
public import Foundation

/// A server that speaks CloudKit Web Services.
public enum CloudKitServer: Sendable, Hashable {
    /// Apple's service.
    case iCloud
    /// A server of one's own, such as `cabinet serve`, at an address with `https`, or `http` on the same machine.
    case cloudKit(URL)

    /// The address before the paths of the dialect.
    var url: URL {
        get throws(CabinetError) {
            switch self {
            case .iCloud:
                let address = "https://api.apple-cloudkit.com"
                guard let url = URL(string: address) else { throw ServerAddress.malformed(address) }
                return url
            case .cloudKit(let url): return url
            }
        }
    }

    /// The address of the pages of shares.
    var shares: URL? {
        switch self {
        case .iCloud: URL(string: "https://www.icloud.com/share")
        case .cloudKit(let url): url.appendingPathComponent("share")
        }
    }
}
